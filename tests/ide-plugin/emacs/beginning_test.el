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

(defconst fine 16 "Pixels of a finer answer in a column.")

(defun shares-of (row states columns span)
  "Of each of COLUMNS of ROW, SPAN long, the share of its time in tasks."
  (let* ((pixel (/ span (float (* columns fine)))) (shares (make-vector columns 0.0)) (told (make-hash-table))
         (is-task (lambda (state internal) (and (not internal) (member (aref states state) '("Task" "Executing")))))
         (add (lambda (at ns) (cl-incf (aref shares (min (floor (/ at pixel fine)) (1- columns))) (/ ns pixel fine)))))
    (when-let ((mixed (plist-get row :mixed)))
      (dotimes (at (length (plist-get mixed :start)))
        (let ((middle (/ (+ (aref (plist-get mixed :start) at) (aref (plist-get mixed :end) at)) 2.0)))
          (puthash (floor (/ middle pixel)) t told)
          (seq-doseq (kind (plist-get mixed :kinds))
            (when (funcall is-task (plist-get kind :state) (eq (plist-get kind :internal) t))
              (funcall add middle (aref (plist-get kind :ns) at)))))))
    (seq-doseq (layer (reverse (plist-get row :layers)))
      (let (here)
        (dotimes (at (length (plist-get layer :start)))
          (cl-loop for place from (floor (+ 0.5 (/ (aref (plist-get layer :start) at) pixel)))
                   to (floor (- (/ (aref (plist-get layer :end) at) pixel) 0.5))
                   unless (gethash place told)
                   do (push place here)
                   (when (funcall is-task (aref (plist-get layer :state) at)
                                  (and (plist-get layer :internal) (= 1 (aref (plist-get layer :internal) at))))
                     (funcall add (* (+ place 0.5) pixel) pixel))))
        (dolist (place here) (puthash place t told))))
    shares))

(defun row-text (name)
  "What stands behind NAME in the timeline."
  (with-current-buffer "*TaskLens timeline*"
    (goto-char (point-min))
    (re-search-forward (concat "^" name " *|"))
    (buffer-substring-no-properties (point) (line-end-position))))

(defun letters-are-true (trace from to)
  "Whether the timeline of TRACE between two times says what its columns hold; else what is wrong."
  (let ((before (with-current-buffer "*TaskLens timeline*" (buffer-string))) answer wrong)
    (tasklens-timeline trace (list :from from :to to))
    (wait-for "another view" (lambda () (not (equal before (with-current-buffer "*TaskLens timeline*" (buffer-string))))))
    (let ((columns (string-search "|" (row-text "CPU0"))))
      (tasklens--request :tasklens/timeline (list :trace trace :fromNs from :toNs to :pixels (* columns fine))
                         (lambda (one) (setq answer one)))
      (wait-for "a finer answer" (lambda () answer))
      (seq-doseq (row (plist-get answer :rows))
        (let ((name (plist-get (aref (plist-get (plist-get answer :texts) :rows) (plist-get row :row)) :name)))
          (when (string-prefix-p "CPU" name)
            (let ((text (row-text name)) (all 0.0))
              (cl-loop for share across (shares-of row (plist-get (plist-get answer :texts) :states) columns (- to from))
                       for cell across text
                       do (cl-incf all (/ share columns))
                       (unless (cond ((<= ?A cell ?Z) (> share 0.49))
                                     ((<= ?a cell ?z) (< share 0.51))
                                     (t (< share 0.01)))
                         (setq wrong (format "%c is %.2f in %s" cell share text))))
              (string-match "|  \\([0-9.]+\\) %" text)
              (unless (< (abs (- (string-to-number (match-string 1 text)) (* 100 all))) 1)
                (setq wrong (format "%.1f in tasks: %s" (* 100 all) text))))))))
    wrong))

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
  (let (overview)
    (tasklens--request :tasklens/overview (tasklens--object :limit 1 :reasons :json-false) (lambda (one) (setq overview one)))
    (wait-for "the overview" (lambda () overview))
    (let* ((begin (plist-get overview :beginNs)) (all (- (plist-get overview :endNs) begin)))
      (random "always the same")
      (dotimes (zoom 7)
        (let* ((span (/ all (expt 6 (1+ zoom)))) (from (+ begin (random (1+ (- all span)))))
               (wrong (letters-are-true (plist-get overview :trace) from (+ from span))))
          (expect (not wrong) (format "letters say what their columns of %d ns hold%s" span (if wrong (concat ": " wrong) "")))))))
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
