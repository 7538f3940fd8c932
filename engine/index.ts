// What the node calls.
export { analyse } from './code'
export { reserve } from './memory'
export { run } from './run'
