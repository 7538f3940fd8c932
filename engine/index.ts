// What the node calls.
export { run } from './calls'
export { analyse } from './code'
export { reserve } from './memory'
export { rememberAccount } from './remembered'
