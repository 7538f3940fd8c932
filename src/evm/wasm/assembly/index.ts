// What the node calls, and what compiled code calls.
export { run, step } from './calls'
export { analyse } from './code'
export { addMod, div, divSigned, mod, modSigned, mulMod } from './divide'
export { reserve, touch } from './memory'
export * from './operations'
export { rememberAccount } from './remembered'
export { loadSlot, loadTransient, storeSlot, storeTransient } from './storage'
export { mul, shiftLeft, shiftRight, signExtend } from './word'
