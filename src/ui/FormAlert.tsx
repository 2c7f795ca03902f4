import { Alert, Anchor, List, Text } from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Sayable, useSay } from '~/shared/say'

type Props = {
  texts: readonly Sayable[]
  /** It also reports something that no field shows, so it stays when every field is right. */
  lasting?: boolean
}

/** Says what is wrong with a form as a whole, and links to each field that is wrong; nothing if nothing is. */
export const FormAlert = (props: Props) => (props.texts.length > 0 ? <Shown {...props} /> : null)

function Shown({ texts, lasting }: Props) {
  const say = useSay()
  const alert = useRef<HTMLDivElement>(null)
  const { fields, wereWrong } = useWrongFields(alert)
  const [whole, ...details] = texts
  const said = texts.map((text) => say(text)).join()
  // before anything is focused: what is to be mended has the last word on what is in view
  useLayoutEffect(() => {
    if (said) alert.current?.scrollIntoView({ block: 'nearest' })
  }, [said])
  if (!whole) return null
  const isOver = wereWrong && fields.length === 0 && !lasting
  return (
    // clear of the bar at the top, and of the one that some forms have at the bottom
    <Alert
      ref={alert}
      role="none"
      color="red"
      variant="light"
      // only this is announced: the list would be read again with every field that is corrected
      title={<span role="alert">{say(whole)}</span>}
      style={{ scrollMarginBlock: '5rem', display: isOver ? 'none' : undefined }}
    >
      {details.length > 0 &&
        details.map((text) => (
          <Text key={say(text)} size="sm">
            {say(text)}
          </Text>
        ))}
      {fields.length > 0 && (
        <List size="sm" spacing={2}>
          {fields.map(({ element, id, label, problem }) => (
            <List.Item key={id}>
              <Anchor
                inherit
                c="inherit"
                underline="always"
                href={`#${id}`}
                onClick={(event) => {
                  event.preventDefault()
                  element.focus()
                }}
              >
                <bdi>{label}</bdi>
              </Anchor>
              {problem && `: ${problem}`}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}

type Wrong = { fields: readonly WrongField[]; wereWrong: boolean }
type WrongField = { element: HTMLElement; id: string; label: string; problem: string }

/** `data-wrong`: the name of a card of a form builder that is closed and has wrong fields. */
const WRONG = '[aria-invalid="true"], [data-wrong]'
const FIELD = 'input:not([type="hidden"]), select, textarea, button, [tabindex]'

/**
 * The fields around the alert that are marked as wrong, as the screen shows them now. Read from the
 * screen rather than from the errors: every form marks its fields the same way, and only the
 * screen knows what each is called.
 */
function useWrongFields(alert: { current: HTMLElement | null }) {
  const [state, setState] = useState<Wrong>({ fields: [], wereWrong: false })
  useEffect(() => {
    const form = alert.current?.closest('form') ?? alert.current?.parentElement
    if (!form) return undefined
    const read = () => {
      const fields = wrongFields(form)
      setState((before) =>
        key(before.fields) === key(fields)
          ? before
          : { fields, wereWrong: before.wereWrong || fields.length > 0 },
      )
    }
    const first = requestAnimationFrame(read)
    const observer = new MutationObserver(read)
    observer.observe(form, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['aria-invalid', 'data-wrong'],
    })
    return () => {
      cancelAnimationFrame(first)
      observer.disconnect()
    }
  }, [alert])
  return state
}

const key = (fields: readonly WrongField[]) =>
  fields.map(({ id, label, problem }) => `${id} ${label} ${problem}`).join()

function wrongFields(form: HTMLElement): WrongField[] {
  const found = new Map<string, WrongField>()
  for (const marked of form.querySelectorAll<HTMLElement>(WRONG)) {
    const isCard = marked.matches('[data-wrong]')
    // an open card shows its wrong fields itself
    if (isCard && marked.closest('li')?.querySelector('[aria-invalid="true"]')) continue
    const element = marked.matches(FIELD) ? marked : marked.querySelector<HTMLElement>(FIELD)
    const { label, group } = fieldName(marked)
    if (!element || !label) continue
    const id = (element.id ||= `wrong-${found.size}`)
    // the options of one question are one field
    const part = group ? `${group}: ${label}` : label
    if (!found.has(part))
      found.set(part, { element, id, label: part, problem: isCard ? '' : fieldErrorText(marked) })
  }
  return [...found.values()]
}

const text = (node: Element | null | undefined) =>
  (node?.textContent ?? '').replace(/\s*\*\s*$/, '').trim()

/** What a field is called on the screen, and the card that it belongs to where there are several. */
function fieldName(marked: HTMLElement) {
  const question = marked.closest<HTMLElement>('[role="group"], [role="radiogroup"]')
  const named = question && accessibleName(question) ? question : marked
  const card = named.closest<HTMLElement>('section[aria-label]')
  return { label: accessibleName(named), group: card?.getAttribute('aria-label') ?? '' }
}

function accessibleName(element: HTMLElement): string {
  const card = element.getAttribute('data-wrong')
  if (card) return card
  const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? []
  const own =
    element.getAttribute('aria-label') ??
    ids.map((id) => text(document.getElementById(id))).join(' ')
  if (own.trim()) return own.trim()
  const labels = (element as HTMLInputElement).labels
  return text(labels?.[0]) || (element.matches('button') ? text(element) : '')
}

/** The sentence below the field. */
function fieldErrorText(marked: HTMLElement): string {
  const described = marked.closest('[aria-describedby]')?.getAttribute('aria-describedby') ?? ''
  const id = described.split(' ').find((one) => one.endsWith('-error'))
  return text(id ? document.getElementById(id) : null)
}
