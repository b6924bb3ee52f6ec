;;; tasklens-views.el --- Runs, graph, timeline, advice and comparisons as text  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What TaskLens shows in buffers of its own.  In each of them RET goes to the line that the thing at point
;; belongs to, a click shows that line, and `q' leaves.  Graph and timeline are views of tasks: the tasks of
;; the source line at point light up in them (see `tasklens--follow').

;;; Code:

(require 'tasklens)
(require 'tabulated-list)

(defun tasklens--show (name mode draw &optional trace places again)
  "Show the buffer NAME, which is in MODE; DRAW, a function, fills it.
It is of TRACE.  PLACES finds tasks in it, see `tasklens--places'.  AGAIN
asks for it again."
  (let ((server tasklens--answering)) ; it may have ended since
    (with-current-buffer (get-buffer-create name)
      (unless (derived-mode-p mode) (funcall mode))
      (setq tasklens--server server
            tasklens--trace trace
            tasklens--places places
            tasklens--again again
            tasklens--drawn (cl-incf tasklens--drawings)
            default-directory (project-root (eglot--project server)))
      (funcall draw)
      (unless tasklens--quietly (tasklens--put-in-sight (current-buffer)))
      ;; The trace grew before the answer arrived.
      (when (and again (/= tasklens--grown-before tasklens--grown)) (tasklens--renew))))
  ;; The user may have come here from a line of a source.
  (when (and places (buffer-live-p tasklens--source))
    (with-current-buffer tasklens--source
      (when tasklens-mode (tasklens--follow)))))

(defun tasklens--show-table (name mode rows &optional trace places again)
  "Show ROWS in the buffer NAME, whose MODE is one of tables; see `tasklens--show'."
  (tasklens--show name mode
                  (lambda ()
                    (setq tabulated-list-entries rows)
                    (tabulated-list-print t))
                  trace places again))

(defun tasklens--colour (rgb)
  "The face of text that has the colour RGB, a number."
  (list :foreground (format "#%06x" rgb)))

(defun tasklens--unit (ns)
  "The unit in which NS are told: how many ns it has, and its name."
  (or (seq-find (lambda (one) (>= (abs ns) (car one))) '((1e9 . "s") (1e6 . "ms") (1e3 . "µs"))) '(1.0 . "ns")))

(defun tasklens--duration (ns)
  "1234567 -> \"1.23 ms\"."
  (pcase-let* ((`(,size . ,unit) (tasklens--unit ns)) (value (/ ns size)))
    (format (cond ((>= (abs value) 100) "%.0f %s") ((>= (abs value) 10) "%.1f %s") (t "%.2f %s")) value unit)))

(defun tasklens--time (ns step)
  "NS since the beginning, told apart from NS + STEP.
157083456 -> \"157.08 ms\" by steps of 0.02 ms."
  (pcase-let ((`(,size . ,unit) (tasklens--unit ns)))
    (format (format "%%.%df %s" (max 0 (ceiling (log (/ size (max step 1.0)) 10))) unit) (/ ns size))))

(defun tasklens--short-place (file line)
  (if (string-empty-p file) "" (tasklens--cell (format "%s:%d" (file-name-nondirectory file) line))))

(defun tasklens--define-keys (map &rest pairs)
  (while pairs (define-key map (pop pairs) (pop pairs))))

(defun tasklens-click (event)
  "Show the line of the task, or the advice, of EVENT."
  (interactive "e")
  (mouse-set-point event)
  (pcase major-mode
    ('tasklens-timeline-mode (tasklens-timeline-visit :json-false))
    ('tasklens-advice-mode (tasklens-advice-visit :json-false))
    (_ (when-let ((task (plist-get (tabulated-list-get-id) :task)))
         (tasklens--reveal (list :task task) :json-false)))))

;;;; The graph as a list

(defvar tasklens-graph-mode-map (make-sparse-keymap))
(tasklens--define-keys tasklens-graph-mode-map
                       (kbd "RET") #'tasklens-graph-visit (kbd "-") #'tasklens-graph-close
                       (kbd "b") #'tasklens-graph-in-browser (kbd "t") #'tasklens-timeline
                       [mouse-1] #'tasklens-click [double-mouse-1] #'tasklens-graph-visit)

(defvar-local tasklens--open nil "Ids of the open groups.")

(define-derived-mode tasklens-graph-mode tabulated-list-mode "TaskLens"
  "The tasks of a run, and after which others each of them could start.
\\{tasklens-graph-mode-map}"
  (setq tabulated-list-format [("Task" 20 t) ("Id" 10 nil) ("Worker" 10 t) ("Starts" 13 tasklens--by-start)
                               ("Takes" 10 tasklens--by-length) ("Line" 20 t) ("After" 0 nil)])
  (tabulated-list-init-header))

(defun tasklens--by-start (a b) (< (plist-get (car a) :start) (plist-get (car b) :start)))
(defun tasklens--by-length (a b) (< (plist-get (car a) :length) (plist-get (car b) :length)))

(defun tasklens-graph (&optional open trace)
  "Show the task graph of TRACE (nil: the newest) as a list, with OPEN groups."
  (interactive)
  (tasklens--request :tasklens/graph (tasklens--object :trace trace :open (and open (vconcat open)))
                     (lambda (graph) (tasklens--show-graph graph open))))

(defun tasklens--show-graph (graph open)
  (tasklens--show-table "*TaskLens graph*" 'tasklens-graph-mode (tasklens--rows graph)
                        (plist-get graph :trace) #'tasklens--graph-places
                        (lambda () (tasklens-graph open (plist-get graph :trace))))
  (with-current-buffer "*TaskLens graph*"
    (setq tasklens--open open
          mode-name (concat "TaskLens: " (plist-get graph :caption)
                            (tasklens--part tasklens--server (plist-get graph :trace))))))

(defun tasklens--graph-places (is-lit site)
  "The rows of tasks in the table IS-LIT, of groups that begin with SITE's."
  (save-excursion
    (goto-char (point-min))
    (cl-loop until (eobp)
             for row = (tabulated-list-get-id)
             when (if (plist-get row :task) (gethash (plist-get row :task) is-lit)
                    (and row site (eql (plist-get row :site) site)))
             collect (cons (point) (line-beginning-position 2))
             do (forward-line))))

(defun tasklens--rows (graph)
  "A row for each node of GRAPH: what RET is about, and what is shown."
  (let* ((nodes (plist-get graph :nodes)) (texts (plist-get graph :texts)) (ids (plist-get texts :ids))
         (before (make-vector (length ids) nil))
         (zero (or (plist-get graph :zeroNs) 0)) ; the zero of displayed times
         (text (lambda (list index) (if (< index 0) "" (aref (plist-get texts list) index)))))
    (cl-loop for from across (plist-get (plist-get graph :edges) :from)
             for to across (plist-get (plist-get graph :edges) :to)
             do (push (aref ids from) (aref before to)))
    (cl-loop
     for at below (length ids)
     for value = (lambda (name) (aref (plist-get nodes name) at))
     for task = (funcall value :task)
     for site = (plist-get (plist-get texts :sites) (intern (format ":%d" (funcall value :site))))
     for is-task = (>= task 0)
     collect
     (list (append (if is-task (list :task task :row at)
                     (list :group (aref ids at) :canOpen (funcall value :canOpen) :site (funcall value :site)))
                   (list :start (funcall value :startNs) :length (funcall value :totalNs)
                         :frame (let ((frame (funcall value :frame))) (and (>= frame 0) (funcall text :frames frame)))))
           (vector (propertize (tasklens--cell (funcall text :labels (funcall value :label)))
                               'font-lock-face (tasklens--colour (funcall value :paint)))
                   (if is-task (tasklens--cell (aref ids at)) "+")
                   (if is-task (tasklens--cell (funcall text :workers (funcall value :worker)))
                     (format "%d tasks" (funcall value :tasks)))
                   (if (< (funcall value :startNs) 0) ""
                     (tasklens--start-time (- (funcall value :startNs) zero)))
                   (tasklens--when-it-ran #'tasklens--duration (funcall value :totalNs))
                   (if site (tasklens--short-place (plist-get site :file) (plist-get site :line)) "")
                   (if is-task (tasklens--cell (string-join (nreverse (aref before at)) " ")) ""))))))

(defun tasklens--when-it-ran (text-of ns) (if (< ns 0) "" (funcall text-of ns)))
(defun tasklens--start-time (ns) (tasklens--time ns 1e3))

(defun tasklens-graph-visit ()
  "Go to the line that submitted the task of this row, or open its group."
  (interactive)
  (let* ((row (tabulated-list-get-id)) (task (plist-get row :task)) (group (plist-get row :group)))
    (cond (task (tasklens--reveal (list :task task)))
          ((eql (plist-get row :canOpen) 1) (tasklens-graph (cons group tasklens--open) tasklens--trace))
          (t (user-error "TaskLens: nothing is on this row")))))

(defun tasklens-graph-close ()
  "Close the group around this row."
  (interactive)
  (let ((frame (plist-get (tabulated-list-get-id) :frame)))
    (unless frame (user-error "TaskLens: no group is around this row"))
    (tasklens-graph (remove frame tasklens--open) tasklens--trace)))

(defun tasklens--reveal (what &optional focus)
  "Go to the line of WHAT, a task or a site; only show it when FOCUS is false."
  ;; The answer arrives after the server has requested that the line is shown.
  (tasklens--request :tasklens/reveal (append what (list :trace tasklens--trace :takeFocus (or focus t))) #'ignore))

;;;; The timeline: a row a worker, a column a stretch of time.  A capital is the letter of its longest task where tasks
;;;; take half of the column or more, a small one where they take less; else it is `.' or `~', as what takes most of it.
;;;; Behind a row stands how much of the time it is in tasks.

(defvar tasklens-timeline-mode-map (make-sparse-keymap))
(tasklens--define-keys tasklens-timeline-mode-map
                       (kbd "RET") #'tasklens-timeline-visit
                       [mouse-1] #'tasklens-click [double-mouse-1] #'tasklens-timeline-visit
                       (kbd "+") (lambda () "Show half as much." (interactive) (tasklens--move 0.5 0))
                       (kbd "-") (lambda () "Show twice as much." (interactive) (tasklens--move 2 0))
                       (kbd "<") (lambda () "Go back in time." (interactive) (tasklens--move 1 -0.5))
                       (kbd ">") (lambda () "Go on in time." (interactive) (tasklens--move 1 0.5))
                       (kbd "=") (lambda () "Show all." (interactive) (tasklens-timeline tasklens--trace))
                       (kbd "b") #'tasklens-graph-in-browser)

(defconst tasklens--label-width 14 "Columns of the names of rows.")
(defconst tasklens--states '(("Nothing" . ?\s) ("Idle" . ?.) ("Sleeping" . ?.) ("Waiting task" . ?.) ("Waiting all tasks" . ?.))
  "Letters of states that are no tasks; `~' for all others.")
(defvar-local tasklens--stretch nil
  "What is shown: :from and :to, within :first and :last, in :width columns.")

(define-derived-mode tasklens-timeline-mode special-mode "TaskLens"
  "What each worker did when.
\\{tasklens-timeline-mode-map}"
  (setq truncate-lines t))

(defun tasklens-timeline (&optional trace stretch)
  "Show as text what each worker of TRACE (nil: the newest) did when.
Of STRETCH only, see `tasklens--stretch'; nil: all that was measured."
  (interactive)
  (tasklens--request
   :tasklens/overview (tasklens--object :trace trace :limit 1 :reasons :json-false)
   (lambda (overview)
     (let ((first (plist-get overview :beginNs)) (last (max (plist-get overview :endNs) (1+ (plist-get overview :beginNs)))))
       (tasklens--ask-timeline (plist-get overview :trace)
                               (list :from (or (plist-get stretch :from) first) :to (or (plist-get stretch :to) last)
                                     :first first :last last :width (tasklens--timeline-width)))))))

(defun tasklens--timeline-again (trace stretch)
  "Ask again for STRETCH of TRACE, and for all of it where that was all."
  (let ((is-all (and (= (plist-get stretch :from) (plist-get stretch :first)) (= (plist-get stretch :to) (plist-get stretch :last)))))
    (tasklens-timeline trace (unless is-all stretch))))

(defun tasklens--timeline-width ()
  (let ((window (get-buffer-window "*TaskLens timeline*" t)))
    (max 20 (- (if window (window-width window) (frame-width)) tasklens--label-width 12))))

(defvar tasklens--asked 0 "How many timelines were asked for: only the last answer is shown.")

(defun tasklens--ask-timeline (trace stretch)
  (let ((question (cl-incf tasklens--asked)))
    (tasklens--request :tasklens/timeline (list :trace trace :fromNs (plist-get stretch :from) :toNs (plist-get stretch :to)
                                                :pixels (plist-get stretch :width))
                       (lambda (answer) (when (= question tasklens--asked) (tasklens--show-timeline answer stretch))))))

(defun tasklens--show-timeline (answer stretch)
  (tasklens--show "*TaskLens timeline*" 'tasklens-timeline-mode
                  (lambda ()
                    (let ((inhibit-read-only t) (line (line-number-at-pos)) (column (current-column)))
                      (setq tasklens--stretch stretch)
                      (erase-buffer)
                      (tasklens--insert-timeline answer stretch)
                      (goto-char (point-min))
                      (forward-line (1- line))
                      (move-to-column column)))
                  (plist-get answer :trace) #'tasklens--timeline-places
                  (lambda () (tasklens--timeline-again (plist-get answer :trace) stretch))))

(defun tasklens--letters (names)
  "By name of NAMES: a letter of it that no other has, else a free one, else #."
  (let ((letter-of (make-hash-table :test #'equal)) taken)
    (seq-doseq (name names)
      (let ((letter (cl-find-if (lambda (one) (and (<= ?A one ?Z) (not (memq one taken))))
                                (concat (upcase name) "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))))
        (push letter taken)
        (puthash name (or letter ?#) letter-of)))
    letter-of))

(defun tasklens--slice (answer layer at letter-of)
  "What is at the place AT of LAYER as a letter, in its colour, with its task."
  (let* ((value (lambda (member) (aref (plist-get layer member) at)))
         (texts (plist-get answer :texts)) (names (plist-get texts :nameRgb))
         (name (and (>= (funcall value :name) 0) (aref (plist-get texts :names) (funcall value :name))))
         (own (if (plist-get layer :rgb) (funcall value :rgb) -1)))
    (propertize (string (cond (name (gethash name letter-of))
                              ((cdr (assoc (aref (plist-get texts :states) (funcall value :state)) tasklens--states)))
                              (t ?~)))
                'tasklens-task (funcall value :task) 'tasklens-name name
                'face (tasklens--colour
                       (cond ((not (and name names))
                              (plist-get (aref (plist-get (plist-get answer :legend) :entries) (funcall value :colour)) :rgb))
                             ((>= own 0) own)
                             (t (aref names (funcall value :name))))))))

(defun tasklens--columns (answer row stretch letter-of)
  "What the columns of ROW show; its later layers lie on top, but not on a task."
  (let* ((width (plist-get stretch :width)) (columns (make-vector width " "))
         (span (float (- (plist-get stretch :to) (plist-get stretch :from)))))
    (seq-doseq (layer (plist-get row :layers))
      (cl-loop for at from 0
               for start across (plist-get layer :start)
               for end across (plist-get layer :end)
               ;; Borders of columns are whole nanoseconds, rounded down.
               for first = (min (floor (* (/ (1+ start) span) width)) (1- width))
               for slice = (tasklens--slice answer layer at letter-of)
               do (cl-loop for column from first below (min (max (floor (* (/ (1+ end) span) width)) (1+ first)) width)
                           when (or (get-text-property 0 'tasklens-name slice)
                                    (not (get-text-property 0 'tasklens-name (aref columns column))))
                           do (aset columns column slice))))
    columns))

(defun tasklens--is-task (state)
  "Whether STATE, a name, is that of a task."
  (member state '("Task" "Executing")))

(defun tasklens--shares (row stretch states)
  "What each column of ROW in STRETCH is.
A vector of plists: :tasks, a share, :has-tasks, and :state, the name in
STATES of what takes most of it."
  (let* ((width (plist-get stretch :width)) (step (/ (- (plist-get stretch :to) (plist-get stretch :from)) (float width)))
         (tasks (make-vector width 0.0)) (has-tasks (make-vector width nil)) (told (make-vector width 0.0)) ; known part of each column
         (times (make-vector width nil)) (mixed (plist-get row :mixed))
         (add (lambda (column state internal ns)
                (when (and (tasklens--is-task (aref states state)) (not internal))
                  (aset has-tasks column t)
                  (cl-incf (aref tasks column) (/ ns step)))
                (cl-incf (alist-get state (aref times column) 0) ns))))
    (when mixed
      (cl-loop for start across (plist-get mixed :start) for end across (plist-get mixed :end)
               for count across (plist-get mixed :tasks) for at from 0
               for column = (min (floor (/ (+ start end) 2.0 step)) (1- width))
               do (aset told column step)
               (seq-doseq (kind (plist-get mixed :kinds))
                 (let ((ns (aref (plist-get kind :ns) at)))
                   (when (> ns 0) (funcall add column (plist-get kind :state) (eq (plist-get kind :internal) t) ns))))
               (when (> count 0) (aset has-tasks column t))))
    ;; A deeper state hides the states below.
    (seq-doseq (layer (reverse (plist-get row :layers)))
      (let (here)
        (cl-loop for start across (plist-get layer :start) for end across (plist-get layer :end)
                 for state across (plist-get layer :state) for at from 0
                 for internal = (and (plist-get layer :internal) (= 1 (aref (plist-get layer :internal) at)))
                 do (cl-loop for column from (max 0 (floor (/ start step))) below (min (ceiling (/ end step)) width)
                             for ns = (min (- (min end (* (1+ column) step)) (max start (* column step))) (- step (aref told column)))
                             when (> ns (/ step 1000)) ; less is a rounding error
                             do (funcall add column state internal ns)
                             (push (cons column ns) here)))
        (cl-loop for (column . ns) in here do (cl-incf (aref told column) ns))))
    (apply #'vector
           (cl-loop for column below width
                    for most = nil
                    do (cl-loop for (state . ns) in (aref times column)
                                when (and (not (equal (aref states state) "Nothing")) (> ns (or (cdr most) 0)))
                                do (setq most (cons (aref states state) ns)))
                    collect (list :tasks (aref tasks column) :has-tasks (aref has-tasks column) :state (car most))))))

(defun tasklens--cell-of (slice share)
  "SLICE, what a column shows, as the letter that its SHARE allows."
  (let* ((name (get-text-property 0 'tasklens-name slice)) (task (get-text-property 0 'tasklens-task slice))
         (is-letter (and name (or (plist-get share :has-tasks) (not task) (< task 0))))
         (state (plist-get share :state))
         (letter (cond ((and is-letter (plist-get share :has-tasks) (< (plist-get share :tasks) 0.5)) (downcase (aref slice 0)))
                       (is-letter (aref slice 0))
                       ((null state) (aref slice 0))
                       ((cdr (assoc state tasklens--states)))
                       (t ?~)))
         (cell (copy-sequence slice)))
    (aset cell 0 letter)
    (unless is-letter (put-text-property 0 1 'tasklens-name nil cell))
    cell))

(defun tasklens--axis (stretch)
  "The marks of an axis of time, as wide as the rows of STRETCH."
  (let* ((from (plist-get stretch :from)) (width (plist-get stretch :width)) (span (float (- (plist-get stretch :to) from)))
         (rough (max 1.0 (/ span (max 1 (/ width 16.0))))) (power (expt 10.0 (floor (log rough 10))))
         (step (* power (cl-find-if (lambda (factor) (>= (* power factor) rough)) '(1 2 5 10 20))))
         (line ""))
    (cl-loop for at = (* step (ceiling (/ from step))) then (+ at step)
             while (< at (plist-get stretch :to))
             do (let ((column (floor (* (/ (- at from) span) width))) (text (concat "|" (tasklens--time at step))))
                  (when (and (>= column (string-width line)) (<= (+ column (string-width text)) width))
                    (setq line (concat line (make-string (- column (string-width line)) ?\s) text)))))
    (concat (make-string (1+ tasklens--label-width) ?\s) line (make-string (- width (string-width line)) ?\s) "  in tasks\n")))

(defun tasklens--percent (share)
  (format (if (< 0 share 0.0995) "%.1f %%" "%.0f %%") (* 100 share)))

(defun tasklens--insert-timeline (answer stretch)
  (let* ((names (plist-get (plist-get answer :texts) :names)) (rows (plist-get (plist-get answer :texts) :rows))
         (letter-of (tasklens--letters names)) (is-used (make-hash-table :test #'equal))
         (zero (or (plist-get answer :zeroNs) 0)) ; the zero of displayed times
         (clock (list :from (- (plist-get stretch :from) zero) :to (- (plist-get stretch :to) zero) :width (plist-get stretch :width)))
         (column (/ (- (plist-get stretch :to) (plist-get stretch :from)) (float (plist-get stretch :width)))))
    (insert (format "%s to %s%s, %s a column   RET: to the source, +: nearer, -: further, < >: along, =: all, q: leave\n"
                    (tasklens--time (plist-get clock :from) column) (tasklens--time (plist-get clock :to) column)
                    (tasklens--part tasklens--server (plist-get answer :trace)) (tasklens--duration column)))
    (insert (tasklens--axis clock))
    (seq-doseq (row (plist-get answer :rows))
      (let* ((shares (tasklens--shares row stretch (plist-get (plist-get answer :texts) :states)))
             (columns (cl-map 'vector #'tasklens--cell-of (tasklens--columns answer row stretch letter-of) shares))
             (in-tasks (/ (cl-loop for share across shares sum (min 1.0 (plist-get share :tasks))) (float (length shares))))
             (described (aref rows (plist-get row :row))) (cells (mapconcat #'identity columns "")))
        (seq-doseq (column columns) (puthash (get-text-property 0 'tasklens-name column) t is-used))
        (when (string-match-p "[^ ]" cells) ; leaves out empty rows
          (insert (tasklens--fit (plist-get described :name) tasklens--label-width) "|" cells "|"
                  (if (or (equal (plist-get described :kind) "worker") (> in-tasks 0)) (concat "  " (tasklens--percent in-tasks)) "")
                  "\n"))))
    (seq-doseq (name names)
      (when (gethash name is-used)
        (insert (gethash name letter-of) " " (string-trim-right (tasklens--fit name 24)) "   ")))
    (insert "capital: half of the column or more in tasks, small: less   . waits   ~ other states\n")))

(defun tasklens--fit (text width)
  (truncate-string-to-width (tasklens--cell text) width nil ?\s "…"))

(defun tasklens--timeline-places (is-lit _site)
  "Where the tasks are that IS-LIT, a hash table, has."
  (cl-loop for at = (point-min) then next
           for next = (and at (next-single-property-change at 'tasklens-task))
           while at
           when (gethash (get-text-property at 'tasklens-task) is-lit) collect (cons at (or next (point-max)))))

(defun tasklens-timeline-visit (&optional focus)
  "Go to the line that submitted the task at point."
  (interactive)
  (let ((task (get-text-property (point) 'tasklens-task)))
    (if (and task (>= task 0)) (tasklens--reveal (list :task task) focus)
      (unless focus (tasklens--say "no task is here")))))

(defun tasklens--move (factor along)
  "Show FACTOR times as much around point, then ALONG widths further."
  (let* ((view tasklens--stretch) (width (plist-get view :width))
         (span (- (plist-get view :to) (plist-get view :from)))
         (new (max (floor (* span factor)) width))
         (share (min 1 (max 0 (/ (- (current-column) tasklens--label-width 0.5) width))))
         (from (floor (+ (plist-get view :from) (* (- span new) share) (* along span))))
         (from (max (plist-get view :first) (min from (- (plist-get view :last) new)))))
    (tasklens--ask-timeline tasklens--trace
                            (list :from from :to (min (+ from new) (plist-get view :last)) :first (plist-get view :first)
                                  :last (plist-get view :last) :width (tasklens--timeline-width)))))

;;;; Costs and advice

(defun tasklens-costs ()
  "List the lines that submitted tasks, for `next-error', the costliest first."
  (interactive)
  (tasklens--request
   :tasklens/stats (make-hash-table)
   (lambda (answer)
     (with-current-buffer (get-buffer-create "*TaskLens costs*")
       (let ((inhibit-read-only t))
         (erase-buffer)
         (insert (format "%s, %d tasks%s\n\n" (plist-get answer :title) (plist-get answer :tasks)
                         (tasklens--part tasklens--answering (plist-get answer :trace))))
         (seq-doseq (cost (plist-get answer :costs))
           (let ((uri (plist-get (plist-get cost :location) :uri)))
             (insert (format "%s:%d: %s  %s\n"
                             (if uri (eglot--uri-to-path uri) (plist-get cost :file))
                             (plist-get cost :line) (plist-get cost :title)
                             (tasklens--cell (string-join (plist-get cost :names) ", ")))))))
       (grep-mode)
       (goto-char (point-min))
       (tasklens--put-in-sight (current-buffer))))))

(defvar tasklens-advice-mode-map (make-sparse-keymap))
(tasklens--define-keys tasklens-advice-mode-map (kbd "RET") #'tasklens-advice-visit [mouse-1] #'tasklens-click)

(define-derived-mode tasklens-advice-mode tabulated-list-mode "TaskLens advice"
  "What is wrong with a run and what to try, the most expensive first.
\\{tasklens-advice-mode-map}"
  (setq tabulated-list-format [("Kind" 12 nil) ("Could save" 11 nil) ("Line" 20 nil) ("What to do" 0 nil)])
  ;; Recommendations are shown in full, below their headings.
  (setq truncate-lines nil word-wrap t wrap-prefix (make-string 46 ?\s))
  (tabulated-list-init-header))

(defun tasklens-advice ()
  "List what is wrong with the newest run and what to try."
  (interactive)
  (tasklens--request
   :tasklens/advice (make-hash-table)
   (lambda (answer)
     (if (seq-empty-p (plist-get answer :findings)) (tasklens--say "no findings in this run")
       (tasklens--show-table "*TaskLens advice*" 'tasklens-advice-mode
                             (seq-map #'tasklens--finding (plist-get answer :findings)) (plist-get answer :trace))))))

(defun tasklens--finding (finding)
  (list finding
        (vector (propertize (plist-get finding :severity) 'font-lock-face
                            (pcase (plist-get finding :severity) ("error" 'error) ("warning" 'warning) (_ 'shadow)))
                (tasklens--duration (plist-get finding :costNs))
                (tasklens--short-place (plist-get finding :file) (plist-get finding :line))
                (tasklens--cell (plist-get finding :message)))))

(defun tasklens-advice-visit (&optional focus)
  "Go to the line that this advice is about."
  (interactive)
  (let ((site (plist-get (tabulated-list-get-id) :site)))
    (if site (tasklens--reveal (list :site site) focus)
      (unless focus (tasklens--say "this is about the whole run")))))

;;;; Kept runs, and what became slower between two

(defvar tasklens-runs-mode-map (make-sparse-keymap))
(tasklens--define-keys tasklens-runs-mode-map
                       (kbd "RET") #'tasklens-runs-open [double-mouse-1] #'tasklens-runs-open
                       (kbd "c") #'tasklens-runs-compare (kbd "r") #'tasklens-runs-rename
                       (kbd "d") #'tasklens-runs-delete (kbd "s") #'tasklens-runs-stop)

(define-derived-mode tasklens-runs-mode tabulated-list-mode "TaskLens runs"
  "The runs of this project that were kept, the newest first.
\\{tasklens-runs-mode-map}"
  (setq tabulated-list-format [("Run" 30 t) ("Started" 20 t) ("End" 0 nil)])
  (setq-local revert-buffer-function (lambda (&rest _) (tasklens-runs)))
  (tabulated-list-init-header))

(defun tasklens-runs ()
  "List the runs of this project that were kept."
  (interactive)
  (tasklens--request
   :tasklens/runs (make-hash-table)
   (lambda (answer)
     (tasklens--show-table "*TaskLens runs*" 'tasklens-runs-mode (seq-map #'tasklens--kept-run (plist-get answer :runs)))
     (when (seq-empty-p (plist-get answer :runs))
       (tasklens--say "no run is kept yet in %s" (plist-get answer :directory))))))

(defun tasklens--kept-run (run)
  (list run (vector (tasklens--name run) (tasklens--started run)
                    (tasklens--cell (if (eq (plist-get run :running) t) "running" (plist-get run :message))))))

(defun tasklens--name (run)
  "The user's name of RUN, else what was run with its arguments."
  (tasklens--cell (if (string-empty-p (plist-get run :name))
                      (string-join (cons (plist-get run :title) (append (plist-get (plist-get run :configuration) :arguments) nil)) " ")
                    (plist-get run :name))))

(defun tasklens--started (run)
  (if (plist-get run :startedNs) (format-time-string "%F %T" (/ (plist-get run :startedNs) 1000000000)) ""))

(defun tasklens--run-here ()
  (or (tabulated-list-get-id) (user-error "TaskLens: no run is on this row")))

(defun tasklens-runs-open ()
  "Show the run of this row."
  (interactive)
  (let ((run (tasklens--run-here)))
    (if (plist-get run :trace) (tasklens-graph nil (plist-get run :trace))
      (tasklens-open-trace (plist-get run :directory)))))

(defun tasklens-runs-rename (name)
  "Give the run of this row a NAME, so that it is not deleted by itself."
  (interactive (list (read-string "Name of this run: " (plist-get (tasklens--run-here) :name))))
  (tasklens--request :tasklens/renameRun (list :kept (plist-get (tasklens--run-here) :kept) :name name)
                     (lambda (_) (tasklens-runs))))

(defun tasklens-runs-delete ()
  "Delete the run of this row with its trace."
  (interactive)
  (let ((run (tasklens--run-here)))
    (when (y-or-n-p (format "Delete the run %s with its trace? " (tasklens--name run)))
      (tasklens--request :tasklens/deleteRun (list :kept (plist-get run :kept)) (lambda (_) (tasklens-runs))))))

(defun tasklens-runs-stop ()
  "End the run of this row."
  (interactive)
  (tasklens--request :tasklens/stop (list :kept (plist-get (tasklens--run-here) :kept)) (lambda (_) (tasklens-runs))))

(defun tasklens-runs-compare ()
  "Compare the run of this row with an earlier one."
  (interactive)
  (tasklens--compare (plist-get (tasklens--run-here) :kept)))

(defun tasklens-compare ()
  "Show what became slower between two runs or open traces."
  (interactive)
  (tasklens--compare nil))

(defun tasklens--compare (kept)
  "Compare the run KEPT (nil: ask which one) with one that is asked for."
  (tasklens--with-sides
   (lambda (sides)
     (if (null (cdr sides))
         (tasklens--say "there is nothing to compare with; run the program again, or open another trace")
       (let* ((after (or (seq-find (lambda (side) (and kept (equal (plist-get side :kept) kept))) sides)
                         (tasklens--choose "Compare the run: " sides (car sides))))
              (others (remq after sides))
              (before (tasklens--choose (format "%s, with the earlier one: " (plist-get after :name)) others
                                        (or (cadr (memq after sides)) (car others)))))
         (tasklens--read-side
          before
          (lambda (earlier)
            (tasklens--read-side after (lambda (later) (tasklens--show-comparison before earlier after later))))))))))

(defun tasklens--choose (prompt sides default)
  "Ask for one of SIDES; an empty answer is DEFAULT."
  (let* ((texts (mapcar (lambda (side) (plist-get side :text)) sides))
         (table (lambda (string predicate action)
                  (if (eq action 'metadata) '(metadata (display-sort-function . identity)) ; the newest first
                    (complete-with-action action texts string predicate))))
         (text (completing-read prompt table nil t nil nil (plist-get default :text))))
    (seq-find (lambda (side) (equal (plist-get side :text) text)) sides)))

(defun tasklens--with-sides (done)
  "Give DONE what can be compared: lists of :text, :kept, :trace and :directory."
  (tasklens--request
   :tasklens/runs (make-hash-table)
   (lambda (kept)
     (tasklens--request
      :tasklens/traces (make-hash-table)
      (lambda (open)
        (let ((runs (seq-remove (lambda (run) (eq (plist-get run :running) t)) (plist-get kept :runs)))
              ;; A trace in the folder of a kept run is listed as that run.
              (others (seq-remove (lambda (trace)
                                    (string-prefix-p (file-name-as-directory (plist-get kept :directory)) (aref (plist-get trace :paths) 0)))
                                  (plist-get open :traces))))
          (tasklens--later
           (lambda ()
             (funcall done (append
                            (seq-map (lambda (run) (list :text (string-join (list (tasklens--name run) (tasklens--started run) (plist-get run :kept)) "  ")
                                                         :name (tasklens--name run)
                                                         :kept (plist-get run :kept) :trace (plist-get run :trace)
                                                         :directory (plist-get run :directory)))
                                     runs)
                            (seq-map (lambda (trace) (list :text (tasklens--cell (format "%s  %s" (plist-get trace :title) (aref (plist-get trace :paths) 0)))
                                                           :name (tasklens--cell (plist-get trace :title)) :trace (plist-get trace :trace)))
                                     others)))))))))))

(defun tasklens--read-side (side done)
  "Give DONE the id of the trace of SIDE, which is opened when it is not."
  (if (plist-get side :trace) (funcall done (plist-get side :trace))
    (tasklens--request :tasklens/openTrace (list :uris (vector (plist-get side :directory)))
                       (lambda (answer) (funcall done (plist-get answer :trace)))
                       (concat "opening " (plist-get side :directory)))))

(defun tasklens--show-comparison (before earlier after later)
  (let ((ask (lambda (by done)
               (tasklens--request :tasklens/compare (list :traces (vector earlier later) :by by)
                                  (lambda (answer) (funcall done (aref (plist-get answer :comparisons) 0)))
                                  (concat "comparing by " by)))))
    (funcall
     ask "site"
     (lambda (by-site)
       (funcall
        ask "codelet"
        (lambda (by-codelet)
          (tasklens--show "*TaskLens compare*" 'special-mode
                          (lambda ()
                            (let ((inhibit-read-only t) (old (plist-get by-site :spanBeforeNs)) (new (plist-get by-site :spanAfterNs)))
                              (erase-buffer)
                              (insert "before: " (plist-get before :text) "\nafter:  " (plist-get after :text) "\n"
                                      (format "span:   %s to %s (%+.1f %%)\n" (tasklens--duration old) (tasklens--duration new)
                                              (* 100.0 (/ (- new old) (float (max old 1))))))
                              (mapc #'tasklens--insert-changes (list by-site by-codelet))
                              (goto-char (point-min)))))))))))

(defun tasklens--insert-changes (comparison)
  (insert "\nby " (plist-get comparison :by) "\n")
  (seq-doseq (change (plist-get comparison :changes))
    (let ((ns (plist-get change :changeNs)))
      (insert (format "  %-13s %12s  %s\n" (plist-get change :verdict) (concat (if (< ns 0) "" "+") (tasklens--duration ns))
                      (tasklens--cell (plist-get change :label))))))
  (let ((left-out (- (plist-get comparison :count) (length (plist-get comparison :changes)))))
    (when (> left-out 0) (insert (format "  ... and %d more\n" left-out)))))

;;;; The page in the browser

(defun tasklens-graph-in-browser ()
  "Show the newest run as one page in the browser: graph, timeline and tables."
  (interactive)
  (tasklens--request
   :tasklens/traces (make-hash-table)
   (lambda (answer)
     (if (seq-empty-p (plist-get answer :traces)) (tasklens--say "no trace is open; run a program or open a trace first")
       (let* ((trace (aref (plist-get answer :traces) 0))
              (default-directory (project-root (eglot--project tasklens--answering)))
              (folder (locate-user-emacs-file "tasklens/"))
              (page (expand-file-name (format "report-%s.html" (plist-get trace :trace)) folder))
              (said (generate-new-buffer " *TaskLens report*")))
         (make-directory folder t)
         (make-process
          :name "tasklens report" :buffer said :noquery t
          :command (append (list (executable-find tasklens-program) "report" "-o" page "--") (append (plist-get trace :paths) nil))
          :sentinel (lambda (process _)
                      (unless (process-live-p process)
                        (let ((words (with-current-buffer said (string-trim (buffer-string)))))
                          (kill-buffer said)
                          (if (/= (process-exit-status process) 0) (tasklens--say "%s" words)
                            (tasklens--say "%s: %s%s" (plist-get trace :title) page
                                           (condition-case problem (progn (browse-url-of-file page) "")
                                             (error (concat "  " (error-message-string problem)))))))))))))))

(provide 'tasklens-views)
;;; tasklens-views.el ends here
