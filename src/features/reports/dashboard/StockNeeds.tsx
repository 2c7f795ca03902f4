import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormatter } from 'use-intl'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { StatusBadge } from '~/ui/StatusBadge'
import classes from './Dashboard.module.css'
import { ListLink, NothingHere } from './Part'
import type { StockSummary } from './stock-summary.server'

const INVENTORY = '/app/inventory/clinic-inventory'
type Held = { drug_id: string; drug: string; clinic_id: string; clinic: string }

/** What to order, and what to use first or dispose of. */
export function StockNeeds({ stock, today }: { stock: StockSummary; today: string }) {
  const say = useSay()
  const format = useFormatter()
  const { low, lowCount, expiring, expiringCount } = stock
  if (lowCount + expiringCount === 0) return <NothingHere what="dashboard.stockFine" />
  const hasSeveral = new Set([...low, ...expiring].map(({ clinic_id }) => clinic_id)).size > 1
  return (
    <>
      {lowCount > 0 && (
        <Needs title={say('dashboard.low')} count={lowCount} to={stockListLink(low[0]!, 'low')}>
          {low.map((held) => (
            <li key={`${held.clinic_id} ${held.drug_id}`}>
              <What held={held} list={hasSeveral ? stockListLink(held, 'low') : undefined} />
              <Text span size="sm" className={classes.figure}>
                {say({
                  key: 'dashboard.ofLeast',
                  values: { usable: format.number(held.usable), least: format.number(held.least) },
                })}
              </Text>
            </li>
          ))}
        </Needs>
      )}
      {expiringCount > 0 && (
        <Needs
          title={say('dashboard.expiring')}
          count={expiringCount}
          to={stockListLink(expiring[0]!, 'expiring')}
        >
          {expiring.map(({ id, expiry_date, ...held }) => {
            const isExpired = expiry_date < today
            return (
              <li key={id}>
                <What
                  held={held}
                  list={
                    hasSeveral ? stockListLink(held, isExpired ? 'expired' : 'expiring') : undefined
                  }
                />
                <Text span size="sm" className={classes.figure}>
                  {isExpired && <StatusBadge tone="bad">{say('dashboard.expired')}</StatusBadge>}{' '}
                  <Day value={expiry_date} />
                </Text>
              </li>
            )
          })}
        </Needs>
      )}
    </>
  )
}

/** Stock is listed clinic by clinic. */
const stockListLink = (
  { clinic_id }: Pick<Held, 'clinic_id'>,
  only: 'low' | 'expiring' | 'expired',
) => `${INVENTORY}?clinic=${clinic_id}&only=${only}`

type NeedsProps = { title: string; count: number; to: string; children: ReactNode }

function Needs({ title, count, to, children }: NeedsProps) {
  const format = useFormatter()
  return (
    <>
      <Title order={3} mt="sm">
        <ListLink to={to}>
          {title} ({format.number(count)})
        </ListLink>
      </Title>
      <ul className={classes.list}>{children}</ul>
    </>
  )
}

/** A medicine and, if there could be several, the clinic whose stock it is. */
const What = ({ held: { drug_id, drug, clinic }, list }: { held: Held; list?: string }) => (
  <span className={classes.what}>
    <ListLink to={`${INVENTORY}/drug/edit/${drug_id}`}>
      <bdi>{drug}</bdi>
    </ListLink>
    {list && (
      <Text size="xs">
        <LinkAnchor inherit c="dimmed" to={list}>
          <bdi>{clinic}</bdi>
        </LinkAnchor>
      </Text>
    )}
  </span>
)
