import { Button, Collapse, List, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import type { CheckScope, MedicineAnswers, Silence, TableAnswer } from './rules/warning'
import { quotedList } from './WarningText'
import { isolated } from '~/shared/isolated'

type Silent = Extract<TableAnswer, { answer: 'not_listed' }>

/** In the order in which they are said. An allergy that cannot be compared has a mark of its own. */
const SAID = ['list', 'off', 'ingredient', 'others', 'facts', 'text', 'strength'] as const
type Said = Exclude<Silence, 'allergies'>
const KEYS = {
  list: 'safety.answer.notListed',
  off: 'safety.answer.off',
  ingredient: 'safety.answer.ingredient',
  others: 'safety.answer.others',
  facts: 'safety.answer.facts',
  text: 'safety.answer.text',
  strength: 'safety.answer.strength',
} as const satisfies Record<Said, string>

/** The answers about a medicine of a check; of the same medicine twice the one at this place. */
export const answersAbout = (
  medicines: readonly MedicineAnswers[] | undefined,
  drugId: string,
  at: number,
): MedicineAnswers | undefined => {
  const there = medicines?.[at]
  return there?.drugId === drugId ? there : medicines?.find((one) => one.drugId === drugId)
}

/** Each medicine with a key; one that is there twice with the same answers is shown once. */
export const distinctAnswers = (medicines: readonly MedicineAnswers[]) => [
  ...new Map(medicines.map((one) => [JSON.stringify(one), one])),
]

/** One line beside a medicine: the lists that say nothing about it and matter for this patient. It asks for nothing. */
export function NotOnLists({
  answers,
  name,
}: {
  answers: MedicineAnswers | undefined
  name?: string
}) {
  const say = useSay()
  const format = useFormatter()
  const silent = (answers?.answers ?? []).filter(
    (one): one is Silent => one.answer === 'not_listed' && one.bears,
  )
  const parts = SAID.flatMap((because) => {
    const those = silent.filter((one) => one.because === because)
    if (those.length === 0) return []
    const lists = those.map((one) => {
      const list = say(`safety.list.${one.table}`)
      const facts = one.facts?.map((fact) => say(`safety.fact.${fact}`))
      return facts
        ? say({ key: 'safety.answer.withFact', values: { list, fact: format.list(facts) } })
        : list
    })
    const names = quotedList(format, [...new Set(those.flatMap((one) => one.names ?? []))])
    return [
      say({ key: KEYS[because], values: { lists: lists.join(say('safety.answer.comma')), names } }),
    ]
  })
  if (parts.length === 0) return null
  return (
    <Text size="sm">
      {name && <bdi>{name}: </bdi>}
      {parts.join('. ')}
    </Text>
  )
}

/** Beside a dose that is written as words. */
export function DoseIsText() {
  const say = useSay()
  return <Text size="sm">{say('safety.answer.text')}</Text>
}

/** Behind a button: the answer of every list about every medicine, and what no list looked for. */
export function ComparedFold({ scope }: { scope: CheckScope }) {
  const say = useSay()
  const format = useFormatter()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const { medicines, leastUnchecked, off } = scope
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={
          <IconChevronDown
            size={16}
            aria-hidden
            style={{ transform: isOpen ? 'rotate(180deg)' : undefined }}
          />
        }
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {say('safety.answer.fold')}
      </Button>
      <Collapse expanded={isOpen} id={id}>
        <Stack gap="xs" pt="xs">
          {distinctAnswers(medicines).map(([key, { drug, answers }]) => (
            <div key={key}>
              <Text size="sm" fw={500}>
                <bdi>{drug}</bdi>
              </Text>
              <List size="sm" spacing={2}>
                {answers.map((answer) => (
                  <List.Item key={answer.table}>
                    <OneAnswer answer={answer} />
                  </List.Item>
                ))}
              </List>
            </div>
          ))}
          {leastUnchecked.length > 0 && (
            <Text size="sm">
              {say({
                key: 'safety.answer.least',
                values: { names: quotedList(format, leastUnchecked) },
              })}
            </Text>
          )}
          {off > 0 && (
            <Text size="sm">{say({ key: 'safety.rulesOff', values: { count: off } })}</Text>
          )}
        </Stack>
      </Collapse>
    </div>
  )
}

function OneAnswer({ answer }: { answer: TableAnswer }) {
  const say = useSay()
  const format = useFormatter()
  const list = say(`safety.table.${answer.table}`)
  if (answer.answer === 'warned') return say({ key: 'safety.answer.warned', values: { list } })
  if (answer.answer === 'no_limit') {
    // sources are titles in their own language
    const source = answer.sources.map(({ text }) => isolated(text)).join('; ')
    return say({ key: 'safety.answer.noLimit', values: { list, source } })
  }
  const { because, facts = [], names = [] } = answer
  const why = say({
    key: `safety.answer.why_${because}`,
    values: {
      names: quotedList(format, names),
      facts: format.list(facts.map((fact) => say(`safety.fact.${fact}`))),
    },
  })
  return say({ key: 'safety.answer.silent', values: { list, why } })
}
