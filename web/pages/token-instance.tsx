export default function Page(_: { hash: string; id: string }) {
  return null
}
