"""Uses mem0's own client, and prints what it got as one JSON object."""

import json
import logging
import sys

from mem0 import MemoryClient

# Its log says what the errors below say.
logging.disable(logging.CRITICAL)

client = MemoryClient(host=f"{sys.argv[1]}/mem0", api_key=sys.argv[2])
got = {}
said = [
    {"role": "user", "content": "I live in Lisbon and I am allergic to peanuts."},
    {"role": "assistant", "content": "I will keep that in mind."},
]
got["added"] = client.add(said, user_id="ana", run_id="trip")
got["kept"] = client.add("The boiler was serviced by Mertens", user_id="ana", infer=False)
client.add("I live in Oslo.", user_id="ben")
got["all"] = client.get_all(filters={"user_id": "ana"})
got["page"] = client.get_all(filters={"AND": [{"user_id": "ana"}, {"run_id": "trip"}]}, page=1, page_size=1)
got["found"] = client.search("What is Ana allergic to?", filters={"user_id": "ana"}, top_k=3)
got["others"] = client.search("allergic to peanuts", filters={"user_id": "ben"})

boiler = got["kept"]["results"][0]["id"]
got["one"] = client.get(boiler)
got["changed"] = client.update(boiler, text="The boiler was serviced by Silva")
got["again"] = client.get(boiler)
got["history"] = client.history(boiler)
got["deleted"] = client.delete(boiler)
try:
    client.get(boiler)
except Exception as error:
    got["gone"] = type(error).__name__
try:
    client.search("anything", filters={"categories": {"in": ["food"]}})
except Exception as error:
    got["refused"] = str(error)
got["users"] = client.users()
got["deleted_all"] = client.delete_all(user_id="ana")
got["left"] = client.get_all(filters={"user_id": "ana"})
client.delete_users(user_id="ben")
got["left_of_ben"] = client.get_all(filters={"user_id": "ben"})
try:
    MemoryClient(host=f"{sys.argv[1]}/mem0", api_key="wrong")
except Exception as error:
    got["wrong_key"] = type(error).__name__
print(json.dumps(got))
