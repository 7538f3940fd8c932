import { compileSolidity } from './test/support/solc.ts'
console.time('c'); const c = compileSolidity(); console.timeEnd('c'); console.log([...c.contracts.keys()], c.warnings.slice(0,3), c.warnings.length)
