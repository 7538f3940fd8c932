// Clients that have ended their side of a connection: those that still read are to be answered, those that are gone are not,
// and the two look alike until something is sent to them.
import type { Socket } from 'node:net'

/** Milliseconds between two interim answers. */
const BETWEEN = 500
/** RFC 9110, section 15.2: a client passes over an interim answer; one that is gone resets the connection. */
const INTERIM = 'HTTP/1.1 102 Processing\r\n\r\n'

/** Sends interim answers while the client waits, until it is answered or found gone: then the socket closes. */
export function probeHalfClosed(socket: Socket, isWaiting: () => boolean): void {
  const timer = setInterval(() => {
    if (isWaiting() && socket.writable) socket.write(INTERIM)
    else clearInterval(timer)
  }, BETWEEN)
  timer.unref()
}
