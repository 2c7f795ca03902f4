type Progress = {
  /** `done` of `total`, in any unit; `text` says the same in words. */
  show: (what: string, done: number, total: number, text: string) => void
  end: () => void
}

const WIDTH = 24
const EVERY_MS = 10_000

/** A bar that redraws itself on a terminal; elsewhere a line for each thing that is done, and one every ten seconds. */
export function progress(out: NodeJS.WriteStream = process.stderr): Progress {
  let printedAt = Date.now()
  let open = false
  return {
    show(what, done, total, text) {
      const share = total ? Math.min(done / total, 1) : 1
      if (out.isTTY) {
        out.write(
          `\r\x1b[2K${line(what, share, text).slice(0, out.columns - 1)}${share === 1 ? '\n' : ''}`,
        )
        open = share < 1
      } else if (share === 1 || Date.now() - printedAt > EVERY_MS) {
        printedAt = Date.now()
        out.write(`${what}: ${Math.floor(share * 100)} %, ${text}\n`)
      }
    },
    end() {
      if (open) out.write('\n')
      open = false
    },
  }
}

function line(what: string, share: number, text: string) {
  const full = Math.round(share * WIDTH)
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full)
  return `${what.padEnd(20)} ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${text}`
}
