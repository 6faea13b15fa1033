package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"extdir/hook/wire"
)

// ask sends a request of the control command and returns the body of its reply.
// key, value, key, value … are the request's fields. A refusal that came as a
// body with a text is an error with that text.
func ask(c *wire.Conn, kind string, kv ...string) ([]byte, error) {
	req := &wire.Request{Kind: kind}
	for i := 0; i+1 < len(kv); i += 2 {
		req.Add(kv[i], kv[i+1])
	}
	rep, body, err := c.Ask(req)
	if err != nil {
		return nil, err
	}
	switch rep.Verdict {
	case wire.OK:
		return nil, nil
	case wire.Body:
		fields, err := wire.ParseFields(body)
		if err == nil && len(fields) == 1 && fields[0].Key == "text" {
			return nil, errors.New(fields[0].Value)
		}
		return body, nil
	case wire.Error:
		if rep.Arg == "kind" || rep.Arg == "version" {
			return nil, fmt.Errorf("the running daemon is of another version and doesn't know %q: restart it with `extdird stop`", kind)
		}
	}
	return nil, fmt.Errorf("the daemon answered %s %s", rep.Verdict, rep.Arg)
}

// askJSON is ask for kinds that answer in JSON.
func askJSON(c *wire.Conn, into any, kind string, kv ...string) error {
	body, err := ask(c, kind, kv...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("the daemon's answer can't be read: %w", err)
	}
	return nil
}
