// Compiles standard JSON of standard input with the compiler in a folder. In a process of its own: a compiler is never unloaded.
const wrapper = require('solc/wrapper')

const [folder] = process.argv.slice(2)
const chunks = []
process.stdin.on('data', (chunk) => chunks.push(chunk))
process.stdin.on('end', () => {
  const compiler = wrapper(require(`${folder}/soljson.js`))
  process.stdout.write(compiler.compile(Buffer.concat(chunks).toString()))
})
