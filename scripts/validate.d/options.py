"""Options that the commands of scripts/validate share."""

import os
import pathlib

import catalogue

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def listed(text):
    return [part for part in text.split(",") if part]


def add_programs(parser):
    parser.add_argument("--programs", type=listed, help="own (default), debian, or of: " + ", ".join(catalogue.known()))


def add_patience(parser):
    parser.add_argument("--patience", type=float, default=10, metavar="SECONDS",
                        help="wait so long for other processes to leave the cores alone (default: %(default)s)")


def add_places(parser, folder, what):
    """what: lies in the folder afterwards."""
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(folder), metavar="FOLDER", help=f"{what} (default: %(default)s)")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("FARCAST_BUILD", ROOT / "build" / "release")))


def chosen_programs(parser, arguments):
    """Ends the command where a name is unknown."""
    chosen = catalogue.chosen(arguments.programs)
    if chosen is None:
        parser.error("there are: " + ", ".join(catalogue.known()))
    return chosen
