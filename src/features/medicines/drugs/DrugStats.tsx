import { SimpleGrid, Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { LinkPaper } from '~/client/links'
import { useSay } from '~/shared/say'
import classes from './DrugStats.module.css'

type Stats = {
  total: number
  active: number
  controlled: number
  refrigerated: number
  unnamed: number
}

const cards = [
  { name: 'total', only: undefined },
  { name: 'active', only: 'active' },
  { name: 'controlled', only: 'controlled' },
  { name: 'refrigerated', only: 'refrigerated' },
] as const

/** How many there are; each number leads to its medicines. */
export function DrugStats({ stats }: { stats: Stats }) {
  const say = useSay()
  const format = useFormatter()
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {cards.map(({ name, only }) => (
        <LinkPaper
          key={name}
          withBorder
          p="md"
          className={classes.card}
          to="/app/inventory/drug-catalogue"
          search={{ only }}
        >
          <Text size="sm" c="dimmed">
            {say(`drugs.stat_${name}`)}
          </Text>
          <Text className={classes.number}>{format.number(stats[name])}</Text>
        </LinkPaper>
      ))}
    </SimpleGrid>
  )
}
