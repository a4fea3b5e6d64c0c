"""A double of the Messages API that calls search_memories once and then says "done". It prints its port, and writes what
it is asked into a file, one request on a line."""

import http.server
import json
import sys

TOOL = "mcp__throughline__search_memories"


class Double(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open(sys.argv[1], "a") as file:
            file.write(json.dumps(asked) + "\n")
        offered = [tool["name"] for tool in asked.get("tools", [])]
        calls = TOOL in offered and "tool_result" not in json.dumps(asked["messages"])
        if calls:
            block = {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": '{"query": "spare key"}'}
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": "done"}
        stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
                   "usage": {"input_tokens": 1, "output_tokens": 1}, "stop_reason": None, "stop_sequence": None}
        self.send_response(200)
        if not asked.get("stream"):
            self.send_header("content-type", "application/json")
            self.end_headers()
            whole = {**message, **stop, "content": [{"type": "text", "text": "done"}]}
            self.wfile.write(json.dumps(whole).encode())
            return
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Double)
print(server.server_port, flush=True)
server.serve_forever()
