// The build imports api.text.js as text.
declare const text: string
export default text
