// Package gitrepo maintains a local clone of a branch of a Git repository: it reads files, finds the last commit that
// changed a file, makes one commit of each change and pushes it. It does not interpret the files.
//
// A local bare clone has the objects. Its branch only ever points to commits that the remote is known to
// have: a commit is made of unreferenced objects, pushed, and becomes the head when the
// remote has accepted it. So nothing must be undone after a conflict, and a process that dies at any
// moment leaves a clone that agrees with the remote after the next pull. There is no worktree, whose
// status would cost as much as the repository is large.
package gitrepo
