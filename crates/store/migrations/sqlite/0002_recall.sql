-- What a search knows of messages without their text, and their vectors. All of it can be made anew from the messages.

-- Who speaks in a chat: a role, and a name where there is one.
CREATE TABLE speakers (
    chat   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    role   TEXT    NOT NULL,
    name   TEXT,
    PRIMARY KEY (chat, number)
) WITHOUT ROWID;

-- The messages that the word index took in, in blocks. `first` is the number of a block's first message.
CREATE TABLE message_meta (
    chat    INTEGER NOT NULL,
    first   INTEGER NOT NULL,
    entries BLOB    NOT NULL,
    PRIMARY KEY (chat, first)
);

-- The signs of the vectors of one block, which a search reads first, and of every vector.
CREATE TABLE vector_signs (
    chat     INTEGER NOT NULL,
    embedder TEXT    NOT NULL,
    first    INTEGER NOT NULL,
    signs    BLOB    NOT NULL,
    PRIMARY KEY (chat, embedder, first)
);

-- The vectors themselves, in small parts of a block, which a search reads for the best.
CREATE TABLE vectors (
    chat       INTEGER NOT NULL,
    embedder   TEXT    NOT NULL,
    first      INTEGER NOT NULL,
    part       INTEGER NOT NULL,
    components BLOB    NOT NULL,
    PRIMARY KEY (chat, embedder, first, part)
);

-- Vectors of messages that lie beside the index.
CREATE TABLE unmerged_vectors (
    chat       INTEGER NOT NULL,
    embedder   TEXT    NOT NULL,
    message    INTEGER NOT NULL,
    components BLOB    NOT NULL,
    PRIMARY KEY (chat, embedder, message)
) WITHOUT ROWID;

-- How often the index of a chat was made anew, and how often vectors were written: what is held in memory is caught up
-- by these.
ALTER TABLE chats ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN embedded INTEGER NOT NULL DEFAULT 0;
