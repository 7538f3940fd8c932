// Room for bytes that are written at once. Beyond 64 bytes V8 gives every array memory of its own, which takes longer than
// filling it: here they share Node's pool. What is handed out holds anything until it is written.

/** `size` bytes that the caller overwrites, every one. */
export function unwritten(size: number): Uint8Array {
  if (size <= 64) return new Uint8Array(size)
  const { buffer, byteOffset } = Buffer.allocUnsafe(size)
  return new Uint8Array(buffer, byteOffset, size)
}
