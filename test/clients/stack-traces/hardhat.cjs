// Hardhat's network behind standard input: a line is a request, and its answer a line with the result, or with the error and
// Hardhat's stack trace, innermost first.
const { createInterface } = require('node:readline')
const { network } = require('hardhat')

async function answer({ method, params }) {
  try {
    return { result: await network.provider.request({ method, params }) }
  } catch ({ message, data, stackTrace = [] }) {
    const stack = stackTrace.map(({ sourceReference: at }) => (at ? `${at.function ?? ''}:${at.line}` : '?')).reverse()
    return { error: { message, data, stack } }
  }
}

async function main() {
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`)
}

main()
