// extdir for pi: asks extdird before a tool runs a line or touches files.
// Written by `extdird install --agent pi`; `extdird uninstall` takes it away.
import { spawn } from "node:child_process"

const HOOK: string[] = "@HOOK@" as any // a JSON array: the program and its options

// ask hands the call to extdir-hook, which finds or starts the daemon, and waits for a
// person if one is asked. It returns why not, undefined for a call that may go on;
// whatever goes wrong is a refusal.
const ask = (call: object) =>
  new Promise<string | undefined>((resolve) => {
    const child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    let out = ""
    child.on("error", (e) => resolve(`extdir: blocked: ${HOOK[0]} can't be run (${e.message}): reinstall extdir`))
    child.stdout.on("data", (d) => (out += d))
    child.on("close", (status) => {
      if (status === 0 && out === "") return resolve(undefined)
      let reason = `extdir: blocked: extdir-hook ended with ${status} and no reason`
      try {
        reason = JSON.parse(out).reason || reason
      } catch {}
      resolve(reason)
    })
    child.stdin.on("error", () => {}) // it ended early: close tells
    child.stdin.end(JSON.stringify(call))
  })

export default function (pi: any) {
  pi.on("tool_call", async (event: any, ctx: any) => {
    const reason = await ask({ tool: event.toolName, input: event.input ?? {}, cwd: ctx?.cwd ?? process.cwd() })
    if (reason) return { block: true, reason }
  })
}
