// CPU time of this process, which a busy machine changes less than the time of the clock.

/** Microseconds of all threads, collection of garbage and compilation included. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
