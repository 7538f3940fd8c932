// Progress of a long command on standard error: one updating line at a terminal, otherwise a line at intervals.

const INTERVAL = { terminal: 200, file: 5000 }

export type Progress = {
  /** One more block is done. */
  step(number: bigint): void
  /** Writes the last line: `verb` 12 blocks in 0.5 s, and whatever else is to be said. */
  done(rest: string): void
}

export function showProgress(verb: string): Progress {
  const { isTTY } = process.stderr
  const began = performance.now()
  let shown = began
  let blocks = 0
  const elapsed = () => ((performance.now() - began) / 1000).toFixed(1)
  const write = (line: string, end: string) => process.stderr.write(isTTY ? `\r\x1b[K${line}${end}` : `${line}\n`)
  return {
    step(number) {
      blocks++
      if (performance.now() - shown < (isTTY ? INTERVAL.terminal : INTERVAL.file)) return
      shown = performance.now()
      write(`${verb} ${blocks} blocks, up to ${number}, in ${elapsed()} s`, '')
    },
    done(rest) {
      write(`${verb} ${blocks} block${blocks === 1 ? '' : 's'} in ${elapsed()} s${rest}`, '\n')
    },
  }
}
