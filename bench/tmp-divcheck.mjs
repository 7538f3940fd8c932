import { readFileSync } from 'node:fs'
const { exports: e } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync('dist/engine.wasm')), { host: new Proxy({}, { get: () => () => 0 }) })
const limbs = new BigUint64Array(e.memory.buffer)
const set = (at, v) => { for (let i = 0; i < 4; i++) limbs[at/8+i] = BigInt.asUintN(64, v >> BigInt(64*i)) }
const get = (at) => limbs[at/8] | limbs[at/8+1]<<64n | limbs[at/8+2]<<128n | limbs[at/8+3]<<192n
const A=9000000,B=A+32,N=A+64,R=A+96
const M=(1n<<256n)-1n
const limb=()=>{ const k=Math.random()*8|0; if(k===0)return 0n; if(k===1)return (1n<<64n)-1n; if(k===2) return 1n<<63n; if (k===3) return BigInt(Math.random()*4|0); if (k===4) return (1n<<64n)-1n-BigInt(Math.random()*4|0); let v=0n; for(let i=0;i<4;i++) v=v<<16n|BigInt(Math.random()*65536|0); return v }
const word=()=>{ let v=0n; const n=1+(Math.random()*4|0); for(let i=0;i<n;i++) v=v<<64n|limb(); return v }
let bad=0
const t=Date.now(); let c=0
while(Date.now()-t<30000 && bad<5){ c++
  let a=word(),b=word(),n=word()
  if (Math.random()<.3) { a = n * word() + (Math.random()<.5 ? -1n : BigInt(Math.random()*3|0)); a &= M }
  if (Math.random()<.2) b = n-1n & M
  if (Math.random()<.2) a = n-1n & M
  set(A,a);set(B,b);set(N,n)
  const chk=(name,got,want)=>{ if(got!==want){bad++;console.log(name,a.toString(16),b.toString(16),n.toString(16),got.toString(16),want.toString(16))} }
  e.div(R,A,N); chk('div',get(R),n?a/n:0n)
  e.mod(R,A,N); chk('mod',get(R),n?a%n:0n)
  e.mulMod(R,A,B,N); chk('mulmod',get(R),n?a*b%n:0n)
  e.addMod(R,A,B,N); chk('addmod',get(R),n?(a+b)%n:0n)
}
console.log(c,'cases',bad,'bad')
