// attack: an empty file
// principle: result faking
// at most: 0
