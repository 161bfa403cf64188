// attack: an empty file
