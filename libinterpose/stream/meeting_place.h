// Where the ranks of a job and their node's predictor find each other: the addresses of one socket,
// in the order of preference.
//
// First come files in a folder of mode 0700 that belongs to the user, in whatever safe parent there
// is; nobody else can knock there, nor take the name. Then names of the abstract namespace, for
// ranks that share no folder: anybody can take those, so there are several, and whoever answers
// must be of the same user. A name is made of the job, the machine's boot and its network
// namespace: hosts of a virtual network and containers share folders, abstract names stop at the
// namespace.
// For both ends: no allocation, no lock; no call here waits for another process.
#pragma once

#include <cstddef>
#include <sys/socket.h>
#include <sys/un.h>

namespace farcast::stream {

inline constexpr unsigned kMeetingFolders = 6;
inline constexpr unsigned kAbstractNames = 8;
inline constexpr unsigned kMeetingPlaces = kMeetingFolders + kAbstractNames;
inline constexpr std::size_t kMostJobKey = 512; // bytes of a job's name, the null among them

struct MeetingPlace {
  sockaddr_un address;
  socklen_t length;
  std::size_t folder_length; // of address.sun_path; 0: an abstract name
};

// The beginning of the names of all sockets of this boot of this machine, in a folder.
void boot_prefix(char* out, std::size_t size);
// Returns: there is such a place: its parent folder is one in which no other user can replace what
// is ours, and the name fits. The folder itself may not exist yet. Requires: number <
// kMeetingPlaces.
bool meeting_place(const char* job, unsigned number, MeetingPlace& out);
// Copies the path of the folder of a place. Requires: folder_length > 0.
void folder_of(const MeetingPlace& place, char (&out)[sizeof(sockaddr_un::sun_path)]);
// Returns: the folder exists, is this user's, and closed to others.
bool is_own_folder(const char* path);
// Connects without waiting. Returns: the socket of a process of this user; -1 with errno:
// ECONNREFUSED: nobody listens; EAGAIN: somebody does, but too many wait already; EPERM: another
// user's process answered or owns the folder.
int connect_to(const MeetingPlace& place);
// Returns: the process at the other end is (or was, when it connected or listened) of this user.
// Nobody is trusted with another user's calls: not even root, and root trusts nobody.
bool is_same_user(int socket);

} // namespace farcast::stream
