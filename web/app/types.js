// The API's JSON as this app reads it. Times are epoch milliseconds by the
// lead's clock. On a solo node `machines` and every `host` are absent.

/**
 * @typedef {{id: string, label: string, lead: boolean, state: string, hint: string, reason?: string, trouble?: string,
 *   lastSeenAt: number, stale: boolean, rttMs: number, build: string}} Machine
 * @typedef {{id: string, host?: string, label: string, cwd: string}} Workspace
 * @typedef {{id: string, host?: string, workspace: string, label: string, index: number}} Tab
 * @typedef {{id: string, label: string, detail?: string, always: boolean, deny: boolean, ticked?: boolean, own?: boolean}} PromptOption
 * @typedef {{question: string, subject: string, cut: boolean, options: PromptOption[]}} Prompt
 * @typedef {{kind: string, id: string, from: string, at: number, prompt?: Prompt, held?: boolean, trust?: string, mark?: string}} Card
 * @typedef {{id: string, host?: string, workspace: string, tab: string, index: number, title: string,
 *   label: string, harness: string, command?: string, token?: string, program?: string, status: string, why?: string, source?: string, whyMark?: string, since: number, exitCode?: number | null, cols: number, rows: number,
 *   needsYou: boolean, cards: Card[] | null, masked: boolean}} Pane
 * @typedef {{machine: string, url: string}} Standby its machine's standby door; in a change without a URL: none any more
 * @typedef {{at: number, mode: string, machines?: Machine[], workspaces: Workspace[] | null,
 *   tabs: Tab[] | null, panes: Pane[] | null, trouble?: string, standby?: Standby}} Snapshot
 * @typedef {{at: number, machines?: Machine[], workspaces?: Workspace[], tabs?: Tab[], panes?: Pane[], trouble?: string, standby?: Standby}} Change
 * @typedef {{id: string, host?: string}} Ref
 * @typedef {{at: number, machines?: string[], workspaces?: Ref[], tabs?: Ref[], panes?: Ref[]}} Gone
 */

/**
 * A run is a piece of a row in one style: an SGR parameter string; and where its program said that it links to.
 * @typedef {[text: string, style: string, link?: string]} Run
 * @typedef {{wrap: boolean, runs: Run[] | null}} Row
 * @typedef {Row & {i: number}} Line
 * @typedef {{row: number, col: number, visible: boolean}} Cursor
 * @typedef {{seq: number, cols: number, rows: number, cursor: Cursor, title: string, screen?: string,
 *   echo: boolean, password?: boolean, masked: boolean, lines: Line[] | null}} Frame
 * @typedef {{from: number, total: number, rows: Row[] | null}} History
 */

/**
 * Markdown as a tree; see node/markdown for the kinds.
 * @typedef {{k: string, t?: string, n?: number, lang?: string, href?: string, c?: Node[]}} Node
 * @typedef {{name: string, subject: string, result?: string, state: string, cut?: boolean}} Tool
 * @typedef {{id: string, at: number, who: string, body?: Node[], tools?: Tool[], images?: string[], cut?: boolean, trust?: string, mark?: string}} Turn
 * @typedef {{session: string, turns: Turn[] | null, more: boolean, skipped: number, cut: boolean, masked: boolean}} Chat newest first
 */

/**
 * @typedef {{label: string, createdAt: number, expiresAt: number | null}} PairedDevice
 * @typedef {PairedDevice & {lastSeenAt: number | null, expired: boolean, current: boolean}} Device
 * @typedef {{version: string, mode: string, masking: boolean, multiplexer: string, multiplexerVersion?: string,
 *   capabilities: {exitStatus: "always" | "own", pasteKnown: boolean}, harnesses: string[], limits?: Record<string, number>,
 *   machine?: {id?: string, label: string}}} Config
 * @typedef {{id: string, direction: string, from: string, fromLabel: string, to: string, at: number,
 *   state: string, reason: string, trust: string, mark: string, replyTo: string, body: string,
 *   masked: boolean}} WalkyMessage
 */

/**
 * A name with `opens` false is not shown as it is, so asking for it finds nothing.
 * @typedef {{name: string, kind: string, sizeBytes: number, modifiedAt: number, opens: boolean}} FileEntry
 * @typedef {{sizeBytes: number, modifiedAt: number, binary: boolean, text: string, from: number, next: number, cut: boolean, masked: boolean}} FileView
 * @typedef {{path: string, folder?: {entries: FileEntry[], more: boolean}, file?: FileView}} Files
 * @typedef {{path: string, from?: string, staged: string, unstaged: string, opens: boolean}} ChangeEntry
 * @typedef {{path: string, staged: boolean, text: string, binary: boolean, cut: boolean, masked: boolean}} DiffView
 * @typedef {{repository: boolean, branch: string, head: string, entries: ChangeEntry[], more: boolean, diff?: DiffView}} Changes
 */

export {};
