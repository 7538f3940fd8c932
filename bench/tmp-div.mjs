import { readFileSync } from 'node:fs'
const m = new WebAssembly.Module(readFileSync(process.argv[2] ?? 'dist/engine.wasm'))
const imports = { host: new Proxy({}, { get: () => () => 0 }) }
const { exports: e } = new WebAssembly.Instance(m, imports)
const limbs = new BigUint64Array(e.memory.buffer)
const set = (at, v) => { for (let i = 0; i < 4; i++) limbs[at/8+i] = BigInt.asUintN(64, v >> BigInt(64*i)) }
const get = (at) => limbs[at/8] | limbs[at/8+1]<<64n | limbs[at/8+2]<<128n | limbs[at/8+3]<<192n
const A=9000000,B=A+32,N=A+64,R=A+96
const p = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n
const x = 0x1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdefn
const cases = {
  'mulMod p': ['mulMod', x, x*7n & ((1n<<256n)-1n), p, (a,b,n)=>a*b%n],
  'addMod p': ['addMod', x, p-5n, p, (a,b,n)=>(a+b)%n],
  'div 2 limbs': ['div', x, 12345n<<64n, 0n, (a,b)=>a/b],
  'mod 3 limbs': ['mod', x, 12345n<<131n|1n, 0n, (a,b)=>a%b],
  'div 1 limb': ['div', x, 1234567891011n, 0n, (a,b)=>a/b],
  'div 4 limbs': ['div', x, (1n<<200n)+123n, 0n, (a,b)=>a/b],
}
for (const [name,[fn,a,b,n,ref]] of Object.entries(cases)) {
  let best = 1e9
  for (let r=0;r<60;r++) {
    set(A,a); set(B,b); set(N,n)
    const t=performance.now()
    if (n===0n) for (let i=0;i<5e4;i++) e[fn](R,A,B); else for (let i=0;i<5e4;i++) e[fn](R,A,B,N)
    best=Math.min(best,performance.now()-t)
  }
  console.log(name.padEnd(14), (best*20).toFixed(1),'ns', get(R)===ref(a,b,n))
}
let best=1e9
for (let r=0;r<60;r++){ const t=performance.now(); for(let i=0;i<5e4;i++) e.mul(R,A,B); best=Math.min(best,performance.now()-t)}
console.log('mul', (best*20).toFixed(1))
