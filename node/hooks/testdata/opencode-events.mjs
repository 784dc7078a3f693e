// Loads the plugin that its first argument names, hands it events as OpenCode
// does, and waits for what it tells in the file that its second one names.
import { existsSync, readFileSync } from "node:fs"

const [, , plugin, told] = process.argv
const { Collie } = await import(plugin)
const hooks = await Collie()
const deadline = Date.now() + 30_000

const lines = () => (existsSync(told) ? readFileSync(told, "utf8").split("\n").length - 1 : 0)
const give = async (count, type, properties) => {
  await hooks.event({ event: { type, properties } })
  while (lines() < count) {
    if (Date.now() > deadline) throw new Error(`${type} told nothing`)
    await new Promise((done) => setTimeout(done, 5))
  }
}

await give(0, "server.connected", undefined)
await give(0, "session.created", { sessionID: "ses_1", info: { id: "ses_1" } })
await give(1, "session.status", { sessionID: "ses_1", status: { type: "busy" } })
await give(1, "session.status", { sessionID: "ses_1", status: { type: "busy" } })
await give(1, "session.created", { sessionID: "ses_2", info: { id: "ses_2", parentID: "ses_1" } })
await give(1, "session.status", { sessionID: "ses_2", status: { type: "busy" } })
await give(2, "permission.asked", { sessionID: "ses_2", permission: "bash" })
await give(3, "permission.replied", { sessionID: "ses_2", reply: "once" })
await give(3, "session.status", { sessionID: "ses_2", status: { type: "idle" } })
await give(4, "question.asked", { sessionID: "ses_1" })
await give(5, "question.rejected", { sessionID: "ses_1" })
await give(6, "session.status", { sessionID: "ses_1", status: { type: "idle" } })
await give(6, "session.idle", { sessionID: "ses_1" })
