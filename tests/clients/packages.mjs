// The npm packages live in a folder of the build, not beside these scripts: TOOLHOST_CLIENTS names it.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder = process.env.TOOLHOST_CLIENTS;
if (!folder) {
  console.error('TOOLHOST_CLIENTS does not name the folder of the npm packages (./dev clients sets it)');
  process.exit(2);
}

export const load = createRequire(join(folder, 'package.json'));
