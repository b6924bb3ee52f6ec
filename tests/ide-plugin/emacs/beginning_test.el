;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; A large trace in a real Emacs: its beginning is shown at once, says that it is one, and becomes the whole.
(load (expand-file-name "tests/ide-plugin/emacs/testing.el") nil t)

(defconst times 40) ; 195 MB
(defconst tasks (* times 2202))

(defun shown (view)
  "The first line of VIEW and what its mode line says, once it is shown."
  (wait-for view (lambda () (get-buffer view)))
  (with-current-buffer view
    (concat mode-name "|" (buffer-substring-no-properties (point-min) (save-excursion (goto-char (point-min)) (line-end-position))))))

(defun wait-for-view (view part)
  (wait-for view (lambda () (let ((text (shown view))) (and (string-search part text) text)))))

(setenv "TASKLENS_SAVED_TRACES" "off") ; else the second time all of it is there at once
(setq tasklens-program (getenv "SERVER"))
(let* ((work (file-name-as-directory (getenv "WORK"))) (trace (concat work "large/prof_file_0")) (default-directory work))
  (make-directory (concat work "large"))
  (expect (eq 0 (call-process (concat work "large_trace") nil nil nil (concat work "prof_file_0") (number-to-string times) trace))
          "a large trace is made")
  (find-file (expand-file-name "examples/cholesky.c" work))
  (setq tasklens-first-mib 4) ; 2.1 % of it
  (tasklens-open-trace trace)
  (let ((text (wait-for-word "; the rest is being read")))
    (expect (string-search " tasks of the first 2.1 % on 2 workers" text) "the beginning says that it is one"))
  (tasklens-timeline)
  (wait-for-word (format "%d tasks on 2 workers" tasks))
  (wait-for-view "*TaskLens graph*" " of 88,080 tasks")
  (expect (not (string-search "of the first" (shown "*TaskLens graph*"))) "the list is that of the whole")
  (let ((whole (wait-for-view "*TaskLens timeline*" " to 3."))) ; seconds
    (expect (not (string-search "of the first" whole)) "and so is the timeline"))
  ;; Tasks of microseconds in columns of many milliseconds, with states within them.
  (let* ((row (with-current-buffer "*TaskLens timeline*"
                (goto-char (point-min))
                (search-forward "CPU0")
                (buffer-substring-no-properties (search-forward "|") (1- (search-forward "|")))))
         (letters (cl-count-if (lambda (cell) (<= ?A (upcase cell) ?Z)) row)))
    (expect (> letters (/ (length row) 2)) (concat "tasks are not hidden: " row)))
  (tasklens-costs)
  (wait-for-view "*TaskLens costs*" (format ", %d tasks" tasks))

  (setq tasklens-first-mib 1 said nil)
  (tasklens-open-trace trace)
  (wait-for-word "; the rest is being read")
  (wait-for "progress" (lambda () tasklens--long))
  (tasklens-cancel)
  (wait-for-word "cancelling: reading the rest of prof_file_0")
  (let ((opened (wait-for "the trace" (lambda ()
                            (let ((first (aref (plist-get (jsonrpc-request (tasklens-start) :tasklens/traces (make-hash-table)) :traces) 0)))
                              (and (or (= (plist-get first :read) 1) (plist-get first :notRead)) first))))))
    (if (= (plist-get opened :read) 1) (princ "the reading had ended before it was given up\n")
      (expect (string-search "reading was stopped" (plist-get opened :notRead)) "the rest is given up")
      (expect (string-search "of the first" (tasklens--part (tasklens-start) (plist-get opened :trace))) "the beginning stays")))
  (wait-for "its end" (lambda () (not tasklens--long)))

  (setq tasklens-first-mib 0 said nil)
  (tasklens-open-trace trace)
  (wait-for-word (format "%d tasks on 2 workers" tasks))
  (expect (not (cl-find-if (lambda (text) (string-search "of the first" text)) said)) "0 reads all of it first"))
