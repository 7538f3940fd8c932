// Files of packages that the build takes as texts.
declare module 'big-integer/BigInteger.min.js' {
  const text: string
  export default text
}
