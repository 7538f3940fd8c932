// The API of a client's tracer in its sandbox, as in go-ethereum: the global functions, and the objects passed to its
// functions. This file runs in the sandbox, as text; `host` is the node, which passes hex and numbers. A tracer may change the
// globals, which affects only itself.
;(host) => {
  const { bigInt } = globalThis
  const { stringify } = JSON
  const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

  const big = (hex) => bigInt(BigInt(hex))
  const integer = (value) => Math.trunc(Number(value)) || 0

  /**
   * Reads hex like go-ethereum: with or without 0x, with an odd number of digits, up to the first character that is not a
   * digit.
   */
  function fromHex(text) {
    const plain = /^0[xX]/.test(text) ? text.slice(2) : text
    const even = plain.length % 2 === 1 ? `0${plain}` : plain
    const [digits] = /^(?:[0-9a-fA-F]{2})*/.exec(even)
    const bytes = new Uint8Array(digits.length / 2)
    for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)
    return bytes
  }

  function hexOf(bytes) {
    let hex = '0x'
    for (let at = 0; at < bytes.length; at++) hex += DIGITS[bytes[at]]
    return hex
  }

  function bytesOf(value, allowsText) {
    if (value === undefined || value === null) throw new TypeError('Cannot convert undefined or null to object')
    if (typeof value === 'string' || value instanceof String) {
      if (allowsText) return fromHex(String(value))
    } else if (Array.isArray(value)) return Uint8Array.from(value)
    else if (typeof value === 'object' && value.constructor === Uint8Array) return value
    return host.fail('invalid buffer type')
  }

  /** The last `size` bytes, padded with zeros on the left. */
  function fixed(bytes, size) {
    const result = new Uint8Array(size)
    const from = Math.max(0, bytes.length - size)
    for (let at = from; at < bytes.length; at++) result[size - bytes.length + at] = bytes[at]
    return result
  }
  const addressHex = (value, allowsText) => hexOf(fixed(bytesOf(value, allowsText), 20))

  const globals = {
    toHex: (value) => hexOf(bytesOf(value, false)),
    toWord: (value) => fixed(bytesOf(value, true), 32),
    toAddress: (value) => fixed(bytesOf(value, true), 20),
    toContract: (from, nonce) => fromHex(host.createdAddress(addressHex(from, true), integer(nonce))),
    toContract2(from, salt, initCode) {
      const word = hexOf(fixed(fromHex(String(salt)), 32))
      return fromHex(host.saltedAddress(addressHex(from, true), word, hexOf(bytesOf(initCode, true))))
    },
    isPrecompiled: (value) => host.isPrecompiled(addressHex(value, true)),
    slice(value, begin, end) {
      const bytes = bytesOf(value, false)
      const [from, to] = [integer(begin), integer(end)]
      if (from >= 0 && from <= to && to <= bytes.length) return bytes.slice(from, to)
      const words = `available ${bytes.length}, offset ${from}, size ${to - from}`
      return host.fail(`Tracer accessed out of bound memory: ${words}`)
    },
  }
  for (const name of Object.keys(globals)) globalThis[name] = globals[name]

  // --- arguments of step and fault

  let [pc, op, gas, cost, depth, refund, height, memorySize] = [0, 0, 0, 0, 0, 0, 0, 0]
  let opName = ''
  let error
  function look(now) {
    ;[pc, op, opName, gas, cost, depth, refund, height, memorySize, error] = now
  }

  const log = {
    getPC: () => pc,
    getGas: () => gas,
    getCost: () => cost,
    getDepth: () => depth,
    getRefund: () => refund,
    getError: () => error,
    op: {
      toNumber: () => op,
      toString: () => opName,
      isPush: () => op >= 0x5f && op <= 0x7f,
    },
    stack: {
      length: () => height,
      peek(index) {
        const at = integer(index)
        if (at >= 0 && at < height) return big(host.peek(at))
        return host.fail(`tracer accessed out of bound stack: size ${height}, index ${at}`)
      },
    },
    memory: {
      length: () => memorySize,
      slice(begin, end) {
        const [from, to] = [integer(begin), integer(end)]
        if (from === to) return new Uint8Array(0)
        if (to < from || from < 0) {
          return host.fail(`tracer accessed out of bound memory: offset ${from}, end ${to}`)
        }
        const missing = to - memorySize
        if (missing > 1048576) return host.fail(`reached limit for padding memory slice: ${missing}`)
        return new Uint8Array(host.memory(from, to - from))
      },
      getUint(offset) {
        const at = integer(offset)
        if (at >= 0 && memorySize >= at + 32) return big(hexOf(new Uint8Array(host.memory(at, 32))))
        const words = `available ${memorySize}, offset ${at}, size 32`
        return host.fail(`tracer accessed out of bound memory: ${words}`)
      },
    },
    contract: {
      getCaller: () => fromHex(host.caller()),
      getAddress: () => fromHex(host.self()),
      getValue: () => big(host.value()),
      getInput: () => new Uint8Array(host.callInput()),
    },
  }

  const db = {
    getBalance: (of) => big(host.balance(addressHex(of, false))),
    getNonce: (of) => host.nonce(addressHex(of, false)),
    getCode: (of) => new Uint8Array(host.code(addressHex(of, false))),
    getState: (of, key) => fromHex(host.word(addressHex(of, false), hexOf(fixed(bytesOf(key, false), 32)))),
    exists: (of) => host.exists(addressHex(of, false)),
  }

  // --- arguments of enter and exit

  let [type, from, to, frameGas, value] = ['', '', '', 0, undefined]
  let [gasUsed, frameError] = [0, undefined]

  const frame = {
    getType: () => type,
    getFrom: () => fromHex(from),
    getTo: () => fromHex(to),
    getInput: () => new Uint8Array(host.frameInput()),
    getGas: () => frameGas,
    getValue: () => (value === undefined ? undefined : big(value)),
  }
  const frameResult = {
    getGasUsed: () => gasUsed,
    getOutput: () => new Uint8Array(host.frameOutput()),
    getError: () => frameError,
  }

  // --- functions that the node calls

  const CONVERT = { bytes: fromHex, big, plain: (plain) => plain }

  /** The functions of a tracer for the node, and which of the optional ones it has. */
  function adopt(tracer, config) {
    // As in go-ethereum, only undefined and null throw here.
    if (tracer === undefined || tracer === null) throw new TypeError('Cannot convert undefined or null to object')
    const { result, fault, step, enter, exit, setup } = tracer
    const isFunction = (of) => typeof of === 'function'
    if (!isFunction(result)) return host.fail('trace object must expose a function result()')
    if (!isFunction(fault)) return host.fail('trace object must expose a function fault()')
    if (isFunction(enter) !== isFunction(exit)) {
      return host.fail('trace object must expose either both or none of enter() and exit()')
    }
    if (isFunction(setup)) setup.call(tracer, config)
    return {
      hasStep: isFunction(step),
      hasFrames: isFunction(enter),
      step(...now) {
        look(now)
        step.call(tracer, log, db)
      },
      fault(...now) {
        look(now)
        fault.call(tracer, log, db)
      },
      enter(...now) {
        ;[type, from, to, frameGas, value] = now
        enter.call(tracer, frame)
      },
      exit(...now) {
        ;[gasUsed, frameError] = now
        exit.call(tracer, frameResult)
      },
      result(context) {
        const ctx = {}
        for (const [name, kind, plain] of JSON.parse(context)) ctx[name] = CONVERT[kind](plain)
        return stringify(result.call(tracer, ctx, db)) ?? 'null'
      },
    }
  }
  return adopt
}
