// The upgrades of the program: names of governance's plans (`modules/upgrade.ts`) whose changes this version contains. A version
// that adds a name begins to use its changes at the plan's height, which `Upgrades.done` knows; names are never removed, because
// old blocks are executed by them. The value `KESTREL_UPGRADES` of the build adds names, for rehearsals of an upgrade
// (docs/networks.md).

/** Set when the program is built; a program that runs from its sources reads it when it starts. */
const rehearsed = process.env.KESTREL_UPGRADES ?? ''

export const PROGRAM_UPGRADES: readonly string[] = [...rehearsed.split(',').filter((name) => name !== '')]
