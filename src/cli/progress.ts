// Progress of a long command on standard error: one updating line at a terminal, otherwise a line at intervals.

/** Milliseconds between updates. */
const INTERVAL = { terminal: 200, file: 5000 }

export type Progress = {
  /** Counts one block; `number` is its height. */
  step(number: bigint): void
  /** Writes the last line, for example `imported 12 blocks in 0.5 s`, followed by `rest`. */
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
