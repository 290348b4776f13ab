-- A role for the daemons that owns one database and nothing else; its password is in MKT_DATABASE_PASSWORD. docs/deploy.md
\set ON_ERROR_STOP on
\set password `printenv MKT_DATABASE_PASSWORD`
create role mkt login password :'password';
create database mkt owner mkt;
revoke connect on database mkt from public;
