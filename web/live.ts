// Live updates from the node. Pages read again at most once a second, and only while they are visible: events in between count
// as one. One store serves the whole document, so a new page does not join again.
import { Socket } from 'phoenix'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Minimum milliseconds between two reads. */
const INTERVAL = 1000

let socket: Socket | undefined

function connected(): Socket {
  if (socket === undefined) {
    socket = new Socket(`${location.origin.replace(/^http/, 'ws')}/socket/v2`)
    socket.connect()
  }
  return socket
}

/** Calls `onEvent` for events of a topic while the page is visible, and once after joining, for events missed before. */
export function useLive(topic: string | undefined, event: string, onEvent: () => void): void {
  useEffect(() => {
    if (topic === undefined) return
    const channel = connected().channel(topic, {})
    channel.on(event, onEvent)
    channel.join().receive('ok', onEvent)
    return () => {
      channel.leave()
    }
  }, [topic, event])
}

/** Increases with events of a topic: at once with the first one, then at most once in `interval` milliseconds. */
export function useEventCount(topic: string | undefined, event: string, interval: number): number {
  const [count, setCount] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const earliest = useRef(0)
  useLive(topic, event, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      earliest.current = performance.now() + interval
      setCount((before) => before + 1)
    }, earliest.current - performance.now())
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return count
}

export type Head = {
  /** Number of the newest block; undefined until one is announced. */
  readonly number: number | undefined
  /** Increases with new and with removed blocks. */
  readonly version: number
  /** Increases when blocks are removed (`evm_revert`); their transactions may no longer be mined. */
  readonly removals: number
}

let head: Head = { number: undefined, version: 0, removals: 0 }
/** The next value of `head`; it becomes current when the page is visible and a second has passed since the last change. */
let next: Head = head
let timer: ReturnType<typeof setTimeout> | undefined
let isJoined = false
const listeners = new Set<(head: Head) => void>()

function notify(): void {
  if (timer !== undefined || document.hidden || next === head) return
  head = next
  for (const listener of listeners) listener(head)
  timer = setTimeout(() => {
    timer = undefined
    notify()
  }, INTERVAL)
}

function change(changes: Partial<Head>): void {
  next = { ...next, version: next.version + 1, ...changes }
  notify()
}

function join(): void {
  if (isJoined) return
  isJoined = true
  document.addEventListener('visibilitychange', notify)
  const channel = connected().channel('blocks:new_block', {})
  channel.on('new_block', (payload: { readonly block?: { readonly height: number } }) => {
    const height = payload.block?.height ?? next.number
    // A block that is not above the last one replaces it.
    const isReplaced = height !== undefined && next.number !== undefined && height <= next.number
    change({ number: height, removals: next.removals + (isReplaced ? 1 : 0) })
  })
  channel.on('removed_blocks', (payload: { readonly height?: number }) =>
    change({ number: payload.height ?? next.number, removals: next.removals + 1 }),
  )
  // Also after each reconnection.
  channel.join().receive('ok', () => change({}))
}

/** The chain's head as last published to the pages. */
export function useHead(): Head {
  const [shown, setShown] = useState(head)
  useEffect(() => {
    join()
    setShown(head)
    listeners.add(setShown)
    return () => {
      listeners.delete(setShown)
    }
  }, [])
  return shown
}

/** A number that increases with new blocks: the version for `useRead`. */
export const useBlockVersion = (): number => useHead().version
