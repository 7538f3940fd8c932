// This program's version, as package.json has it: the build writes it in; npm tells it where the sources run as they are.
export const VERSION: string = process.env.KESTREL_VERSION ?? process.env.npm_package_version ?? 'unbuilt'
