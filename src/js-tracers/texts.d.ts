// The script of a package that the build imports as text (`with { type: 'text' }`); `api.text.d.ts` is the type of our own.
declare module 'big-integer/BigInteger.min.js' {
  const text: string
  export default text
}
