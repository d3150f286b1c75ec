// Package workspace is the only code of Pai that opens, lists and changes a
// project's files. Every path goes through one guard: its words first
// (CheckPath), then the rules and the tree (Tree.walk), component by component
// beneath one open root, with links followed in memory and the kernel told to
// follow none. Steps change an overlay (Tree); Tree.Commit makes it true, by a
// journal and one system call a change; Root.Recover and Root.Undo take it
// back by the same journal.
//
// What is promised, and the test that fails if it breaks:
//
//	nothing outside the root, or denied, is read or     FuzzGuard, guard.txtar,
//	changed, by any path, link or disguise              breaker.txtar, TestSoakSwap
//	names are folded before they are judged             TestDenyRule
//	the resolver without openat2 refuses the same       TestWalkWithoutOpenat2
//	ignore files mean what they mean to git             TestIgnoreAgreesWithGit
//	only the person's own rules lift a denial           rules.txtar
//	a refused step leaves everything as it was          guard.txtar, actions.txtar
//	a kill leaves the tree before or the one after      TestSweepKills, TestKill, TestSoakKill
//	so does every failing system call                   TestSoakFaults, TestCommitTakesBack
//	instances take turns; none loses another's change   TestSoakInstances, TestLockNamesItsHolder
//	a save in the last moment stays                     TestSaveInTheLastMoment, breaker.txtar
//	everything can be undone, or says what changed      FuzzUndo, undo.txtar, undo_whole.txtar
//	a journal that came with a clone does nothing       undo.txtar
//	bytes outside an edit, mode, owner, attributes,     fidelity.txtar, TestAttributesStay
//	links and other files' times stay
//	what runs code by itself wants a yes of its own     rules.txtar
//	work grows linearly with the steps and the files    TestSoakScale
package journal
