// Uses mem0's own client, and prints what it got as one JSON object.

import MemoryClient from "mem0ai";

const [host, apiKey] = process.argv.slice(2);
const client = new MemoryClient({ host: `${host}/mem0`, apiKey });
const got = {};
const filters = { user_id: "eva" };
await client.ping();
got.added = await client.add([{ role: "user", content: "I work as a nurse in Porto." }], { userId: "eva" });
got.all = await client.getAll({ filters });
got.found = await client.search("Where does Eva work?", { filters, topK: 2 });
const id = got.all.results[0].id;
got.changed = await client.update(id, { text: "I work as a midwife in Porto" });
got.one = await client.get(id);
got.history = await client.history(id);
got.deleted = await client.delete(id);
got.deletedAll = await client.deleteAll({ userId: "eva" });
got.left = await client.getAll({ filters });
console.log(JSON.stringify(got));
