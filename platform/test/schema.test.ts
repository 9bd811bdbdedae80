import { expect, test } from 'vitest';
import { Database } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { createTestDatabase } from './support/test-postgres.ts';

// What all migrations together make, for people to read. After a new migration: vitest run platform/test/schema.test.ts -u
test('schema.sql is what the migrations make', async () => {
  const made = await createTestDatabase();
  const database = new Database({ url: made.url });
  await migrate(database);
  const { rows } = await database.query<{ text: string }>(DESCRIBE);
  await database.close();
  await made.drop();
  await expect(`${rows.map(({ text }) => text).join('\n\n')}\n`).toMatchFileSnapshot('../migrations/schema.sql');
});

/** A text for each table: columns in their order, constraints, then indexes that are no constraint. */
const DESCRIBE = `
select format(E'create table %s (\n%s\n);%s', c.relname,
         (select string_agg(line, E',\n' order by position, line) from (
            select a.attnum as position, format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                     case when a.attnotnull then ' not null' else '' end,
                     case when a.attidentity <> '' then ' generated always as identity'
                          when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as line
              from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            union all
            select 10000, format('  constraint %s %s', n.conname, pg_get_constraintdef(n.oid))
              from pg_constraint n where n.conrelid = c.oid and n.contype <> 'n') parts),
         (select string_agg(E'\n' || pg_get_indexdef(i.indexrelid) || ';', '' order by i.indexrelid::regclass::text)
            from pg_index i where i.indrelid = c.oid
             and not exists (select 1 from pg_constraint n where n.conindid = i.indexrelid and n.conrelid = c.oid))) as text
  from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`;
