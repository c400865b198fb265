; a continuous wave in a straight waveguide; quiet: the lines about progress come every few seconds of wall time
(quiet)
(set! geometry-lattice (make lattice (size 8 4 no-size)))
(set! geometry (list (make block (center 0 0) (size infinity 1 infinity) (material (make medium (epsilon 12))))))
(set! sources (list (make source (src (make continuous-src (frequency 0.15))) (component Ez) (center -3 0))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 10)
(run-until 20 (at-every 2 (lambda ()
  (print "field:, " (meep-time) ", " (real-part (get-field-point Ez (vector3 2 0 0))) "\n"))))
