import { Button, Collapse, List, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { distinctAnswers } from './NotOnLists'
import type { CheckScope, TableAnswer } from './rules/warning'
import { quotedList } from './WarningText'

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
    const source = answer.sources.map(({ text }) => `\u2068${text}\u2069`).join('; ')
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
