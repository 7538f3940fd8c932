// Marks all links to the address under the pointer, or with the focus: hashes are hard to compare by eye.
const MARK = 'same'

const hrefOf = ({ target }: Event): string | null | undefined =>
  target instanceof Element ? target.closest('main a[href^="/address/"]')?.getAttribute('href') : undefined

function mark(event: Event): void {
  const href = hrefOf(event)
  for (const element of document.querySelectorAll(`.${MARK}`)) element.classList.remove(MARK)
  if (!href) return
  for (const element of document.querySelectorAll(`main a[href="${CSS.escape(href)}"]`)) element.classList.add(MARK)
}

for (const event of ['pointerover', 'focusin']) document.addEventListener(event, mark)
