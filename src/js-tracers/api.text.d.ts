// The build takes api.text.js as a text.
declare const text: string
export default text
