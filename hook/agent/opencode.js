// extdir for OpenCode: asks extdird before a tool runs a line or touches files.
// Written by `extdird install --agent opencode`; `extdird uninstall` takes it away.
import { spawn } from "node:child_process"

const HOOK = "@HOOK@" // a JSON array: the program and its options

// ask hands the call to extdir-hook, which finds or starts the daemon, and waits for a
// person if one is asked. Whatever goes wrong is a refusal.
const ask = (call) =>
  new Promise((resolve, reject) => {
    const child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "inherit"] })
    let out = ""
    child.on("error", (e) => reject(new Error(`extdir: blocked: ${HOOK[0]} can't be run (${e.message}): reinstall extdir`)))
    child.stdout.on("data", (d) => (out += d))
    child.on("close", (status) => {
      if (status === 0 && out === "") return resolve()
      let reason = `extdir: blocked: extdir-hook ended with ${status} and no reason`
      try {
        reason = JSON.parse(out).reason || reason
      } catch {}
      reject(new Error(reason))
    })
    child.stdin.on("error", () => {}) // it ended early: close tells
    child.stdin.end(JSON.stringify(call))
  })

export const Extdir = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    await ask({ tool: input.tool, input: output.args ?? {}, cwd: directory })
  },
})
