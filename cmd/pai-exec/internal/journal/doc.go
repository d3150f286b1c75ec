// Package journal makes changes on disk, all or none: it writes what is to be done
// before it does it (a write-ahead log), makes each change by one system call, and
// rolls them back by the same log after a failure, after a kill, and when a person
// asks. It changes no path that the log doesn't name, and believes no log that was
// not begun in this very directory.
//
// A commit writes all that is new beside the tree, then the log, then makes each change by
// one rename or mkdir and notes how far it got by one more. No more than one change is ever
// in doubt, so that rolling back after a failure, recovery after a kill, undo and redo are one
// piece of code that goes back and forth. A log names the directory that it was written in
// by inode and time of birth, and is signed with the person's key: one that a clone brings is not
// believed. It has a hash of itself and of all that it keeps: one that isn't what was written is
// left to a person.
//
// What is promised, here and in the packages under, and the test that fails if
// it breaks:
//
//	nothing outside the root, or denied, is read or     FuzzGuard, guard.txtar,
//	changed, by any path, link or disguise              guard-rules.txtar, TestSoakSwap
//	names are folded before they are judged             TestDenyRule
//	the resolver without openat2 refuses the same       TestWalkWithoutOpenat2
//	ignore files mean what they mean to git             TestIgnoreAgreesWithGit
//	only the person's own rules lift a denial           rules.txtar
//	a refused step leaves everything as it was          guard.txtar, actions.txtar
//	a kill leaves the tree before or the one after      TestSweepKills, TestKill, TestSoakKill
//	so does every failing system call, of undoing and   TestSoakFaults, TestUndoFaults,
//	recovering too                                      TestRecoveryFaults, TestSoakUndoFaults
//	a journal that isn't what was written is left to    TestRot, TestSoakRot, history.txtar
//	a person
//	the version before's are read                       TestOldJournals
//	what comes after the review stays                   TestWhatCameAfter, history.txtar
//	no check loses what a plan removes, or writes       checks.txtar, confine.txtar,
//	outside the root                                    TestConfinedTools
//	instances take turns; none loses another's change   TestSoakInstances, TestLockNamesItsHolder
//	a save in the last moment stays                     TestSaveInTheLastMoment, saved-meanwhile.txtar
//	what a check writes over the change is put back,    check-writes.txtar
//	and kept aside
//	a transaction is found where the system numbers     filesystems.txtar
//	its directory again
//	what was undone can be redone                       redo.txtar, TestSweepKills
//	everything can be undone, or says what changed      FuzzUndo, undo.txtar, undo_whole.txtar
//	a journal that came with a clone does nothing       undo.txtar
//	bytes outside an edit, mode, owner, attributes,     fidelity.txtar, TestAttributesStay
//	links and other files' times stay
//	what runs code by itself needs a yes of its own     rules.txtar
//	work grows linearly with the steps and the files    TestSoakScale
package journal
