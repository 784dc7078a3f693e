// Tells Collie when a turn begins and ends and when the agent asks something.
// It answers nothing and never holds the agent up.
import { spawn } from "node:child_process"

const program = "COLLIE"
const patience = 5000 // of one telling; it gives up by itself before that
const most = 1000 // agents that the agent started, by their parent

export const Collie = async () => {
  const parents = new Map()
  let last = "" // what was told
  let next // what is to be told; only the newest counts
  let busy = false

  const own = (session) => {
    for (let i = 0; i < 16 && parents.has(session); i++) session = parents.get(session)
    return session
  }

  const run = (text) =>
    new Promise((done) => {
      const child = spawn(program, ["_hook", "opencode"], { stdio: ["pipe", "ignore", "ignore"], timeout: patience })
      child.on("error", done)
      child.on("close", done)
      child.stdin.on("error", () => {})
      child.stdin.end(text)
    })

  const tell = async (event, session, more) => {
    const text = JSON.stringify({ hook_event_name: event, session_id: own(session), ...more })
    if (text === last) return
    last = next = text
    if (busy) return
    busy = true
    try {
      while (next !== undefined) {
        const now = next
        next = undefined
        await run(now)
      }
    } catch {
      // Without Collie the agent works as ever.
    } finally {
      busy = false
    }
  }

  return {
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const session = about.sessionID
      switch (event.type) {
        case "session.created":
          if (about.info?.parentID && parents.size < most) parents.set(about.info.id, about.info.parentID)
          break
        case "session.deleted":
          parents.delete(about.info?.id)
          break
        case "session.status": // of an agent that the agent started it says nothing
          if (parents.has(session)) break
          if (about.status?.type === "idle") void tell("Stop", session)
          else void tell("UserPromptSubmit", session)
          break
        case "permission.asked":
          void tell("PermissionRequest", session)
          break
        case "question.asked":
          void tell("Notification", session, { notification_type: "elicitation_dialog" })
          break
        case "permission.replied":
        case "question.replied":
        case "question.rejected":
          void tell("UserPromptSubmit", session)
          break
      }
    },
  }
}
