package backup

// Member makes a part of a file for tests.
var Member = storedMember
