;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; What tests in Emacs wait with. Nothing has a limit of its own, but what waits in vain leaves half of the time that Bazel
;; gives the test to the other cases.

(defvar run-until--ends (when-let ((limit (getenv "TEST_TIMEOUT"))) (+ (float-time) (string-to-number limit))))

(defun run-until (condition)
  "Lets Emacs run until CONDITION is true, and returns what it answers.
It is asked after each output of a process, and now and then, since nothing tells what a timer has changed."
  (let ((gives-up (when run-until--ends (/ (+ (float-time) run-until--ends) 2))) value)
    (while (not (setq value (funcall condition)))
      (when (and gives-up (> (float-time) gives-up)) (error "waited in vain"))
      (accept-process-output nil 0.02))
    value))
